/** A campaign of a million contacts: created, and played to its end, beside bare loops over the same data. */
import { cpSync, rmSync } from 'node:fs';
import { beside, CONTACTS, campaignOf, compare, type Measured, measureIn, print } from './workplace.ts';

const ROUNDS = 3;

await measureIn((place) => {
  const contacts = place.contacts();
  const [created, played] = [place.path('created'), place.path('played')];
  const create = campaignOf('--quiet', '--contacts', contacts, '--calls-per-hour', '3600000', '--store', created);
  compare(`campaign create, ${CONTACTS} contacts`, ROUNDS, {
    'a bare csv-parse pass': () => place.node([beside('bare-csv.mjs'), contacts]),
    'campaign create (at most 2.5×)': () => {
      rmSync(created, { recursive: true, force: true });
      place.vagent('local', 'topup', '900000', '--store', created);
      return place.vagent(...create);
    },
  });
  const all = { written: [] as Measured[], played: [] as Measured[] };
  for (let round = 0; round < ROUNDS; round++) {
    rmSync(played, { recursive: true, force: true });
    cpSync(created, played, { recursive: true });
    all.played.push(place.vagent('local', 'advance', '--until-idle', '--store', played));
    const bare = place.node([beside('bare-writer.mjs'), played, place.path('bare.jsonl')]);
    all.written.push({ ...bare, milliseconds: Number(bare.stdout) });
  }
  print(`playing it to the end, median of ${ROUNDS}`, {
    'a bare loop that writes the same entries': all.written,
    'local advance --until-idle (at most 1.6×)': all.played,
  });
});
