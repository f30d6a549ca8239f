/**
 * Nobody is called twice without a word of the operator: what the guards let through, over both engines, and what is recorded
 * of it.
 */
import { describe, expect, test } from 'vitest';
import type { Sending } from '../../src/register/guards.ts';
import { requireNew } from '../../src/register/guards.ts';
import type { NewRedial } from '../../src/register/redials.ts';
import { isWaveOf } from '../../src/register/requests.ts';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { casesBeside } from '../support/cases.ts';
import { campaignOf, Desk, type Fate, NOON, SERVICE, type Where } from '../support/desk.ts';
import { ENGINES } from '../support/engines.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [ANN, BOB, CLEO, DAN] = ['+14155550101', '+14155550102', '+14155550103', '+14155550104'] as const;
/** A mobile of Mexico as it was dialled until 2019, and as it is now. */
const [OLD, NEW] = ['+5215512345678', '+525512345678'] as const;
const ELSEWHERE = 'https://other.example.com/api';

/** The people of the stories, each by a letter; O and N are one phone. */
const PEOPLE: Record<string, string> = { A: ANN, B: BOB, C: CLEO, D: DAN, E: '+14155550199', O: OLD, N: NEW };
const RESPELLED = 'HTTP://VOICE.example.com:80//%61pi/';

const wave = (number: number, lookedAt: number) => ({ id: 3, wave: number, createdAt: 5000, lookedAt });

/** What the words after the people of a request mean. */
const SENDINGS: Record<string, Sending> = {
  again: { again: true },
  force: { force: true },
  'wave-after-0': { plan: wave(1, 0) },
  'wave-after-1': { plan: wave(1, 1) },
  'wave-after-2': { plan: wave(2, 2) },
};
const WHERES: Record<string, Where> = {
  elsewhere: { service: ELSEWHERE },
  respelled: { service: RESPELLED },
  'other-organization': { organizationId: 8 },
};
const FATES: readonly string[] = ['refused', 'not_sent', 'unknown'] satisfies Fate[];

/** What a redial reads before it reads the log. */
async function look(desk: Desk): Promise<Pick<NewRedial, 'at' | 'lastEntry'>> {
  desk.now += 1000;
  return { at: desk.now, lastEntry: await desk.register.lastEntry() };
}

/** A list to call these people again is made of the first campaign. */
async function list(desk: Desk, numbers: readonly string[], looked?: Pick<NewRedial, 'at' | 'lastEntry'>) {
  await desk.register.keepRedial({
    ...{ service: SERVICE, organizationId: 7, ...(looked ?? (await look(desk))) },
    campaigns: [{ entry: 1, campaign_id: 11, campaign_name: 'Spring' }],
    numbers: Float64Array.from(numbers, (number) => Number(number.slice(1))),
  });
}

/**
 * Tells a story to the guards: `call A unknown; send AB again -> unknown_call`. A request comes to what the service does with
 * it, unless an arrow says what keeps it here.
 */
async function tell(desk: Desk, story: string): Promise<void> {
  let looked: Awaited<ReturnType<typeof look>> | undefined;
  for (const told of story.split('; ')) {
    const [step = '', stopped] = told.split(' -> ');
    const [verb = '', which = '', ...words] = step.split(' ');
    const people = [...which].map((letter) => PEOPLE[letter] ?? '');
    if (verb === 'wait') desk.now += Number(which) * HOUR;
    else if (verb === 'look') looked = { ...(await look(desk)), ...(which !== '' && { lastEntry: Number(which) }) };
    else if (verb === 'list') await list(desk, people, looked);
    else if (verb === 'harm') await desk.rows.put("update redials set campaigns = '[{}]'");
    else if (verb === 'forget') await desk.register.forget(({ sent }) => sent.entry === Number(which));
    else if (verb === 'opt-out') await desk.optedOut().add(people.map((one) => Number(one.slice(1))));
    else {
      const unknown = words.find((word) => !(word in SENDINGS || word in WHERES || FATES.includes(word)));
      if (unknown !== undefined) throw new Error(`No story has ${unknown}.`);
      desk.fate = (words.find((word) => FATES.includes(word)) ?? 'accepted') as Fate;
      const sending = Object.assign({}, ...words.map((word) => SENDINGS[word]));
      const where = Object.assign({}, ...words.map((word) => WHERES[word]));
      const [number = ''] = people;
      const came = verb === 'call' ? desk.call(number, sending, where) : desk.create(people, sending, where);
      expect(await came, told).toBe(stopped ?? desk.fate);
    }
  }
}

type Story = [what: string, story: string];
const cases = casesBeside(import.meta.filename);
const TOLD = ['a call', 'a campaign', 'a list to call people again', 'a wave of a plan'].map(
  (what): [string, Story[]] => [what, cases<Story>(what)],
);

describe.each(ENGINES)('in $name', ({ places }) => {
  const place = places();

  describe.each(TOLD)('%s', (_what, stories) => {
    test.each(stories)('%s', async (_name, story) => {
      const desk = await Desk.at(await place());
      await tell(desk, story);
      // Everything that arrived is there, with what came of it; nothing else is.
      const { requests, damage } = await desk.register.requests();
      expect(damage).toBeUndefined();
      expect(requests.map(({ outcome }) => outcome)).toEqual(desk.arrived.map(({ fate }) => fate));
      const left = `select 1 from request_contacts c join requests r on r.entry = c.entry where outcome in ('refused', 'not_sent')`;
      expect(await desk.rows.read((sql) => sql.all(left))).toEqual([]);
    });
  });

  test('the same list at once from two programs is sent once', async () => {
    const where = await place();
    const desks = await Promise.all(Array.from({ length: 3 }, () => Desk.at(where)));
    const results = await Promise.all(desks.map((desk) => desk.create([ANN, BOB])));
    // Whoever asks while the first is under way does not know what will come of it.
    const refused = expect.stringMatching(/^(repeated|unknown)_campaign$/);
    expect(results.toSorted()).toEqual(['accepted', refused, refused]);
  });

  test('what is recorded with a request, or with its end, is recorded with all of it or with nothing', async () => {
    const desk = await Desk.at(await place());
    const fails = async () => {
      throw new Error('the disk is full');
    };
    expect(await desk.create([ANN], { plan: wave(1, 0), withIntent: fails })).toContain('the disk is full');
    expect([desk.arrived, await desk.register.lastEntry()]).toEqual([[], 0]);
    const entries: number[] = [];
    const ends: string[] = [];
    await desk.create([ANN], {
      withIntent: async (_sql, entry) => void entries.push(entry),
      withReply: async (_sql, { outcome }) => void ends.push(outcome),
    });
    expect([entries, ends]).toEqual([[1], ['accepted']]);
    // It was sent: what cannot be recorded of its end leaves it unknown, and does not hide it.
    expect(await desk.create([BOB], { withReply: fails })).toBe('accepted');
    expect(await desk.create([BOB])).toBe('unknown_campaign');
  });

  test('a wave says of which plan it is, also when whom it called is forgotten', async () => {
    const desk = await Desk.at(await place());
    await desk.create([ANN], { plan: wave(1, 0) });
    await desk.register.forget(() => true);
    const { requests } = await desk.register.requests();
    const [{ sent } = { sent: undefined }] = requests;
    expect(sent).toMatchObject({ plan: { id: 3, wave: 1, createdAt: 5000 } });
    const isWave = (plan_id: number, createdAt: number) => sent && isWaveOf(sent, { plan_id, createdAt });
    expect([isWave(3, 5000), isWave(4, 5000), isWave(3, 6000)]).toEqual([true, false, false]);
  });

  test('whose redial it is can be said, and that it is too old', async () => {
    const desk = await Desk.at(await place());
    await desk.create([ANN, BOB]);
    await list(desk, [ANN]);
    const asked = async (number: string) => {
      const sent = { operation: 'createCampaign', request: campaignOf([number]) } as const;
      return (await requireNew(sent, desk.recording(), {})).redialOf;
    };
    expect(await asked(ANN)).toEqual([{ entry: 1, campaign_id: 11, campaign_name: 'Spring' }]);
    expect(await asked(DAN)).toEqual([]);
    await expect(asked(BOB)).rejects.toThrow('was sent before');
    desk.now += DAY + HOUR;
    const reason = { kind: 'redial_too_old', at: NOON + 2000, campaignIds: [11] };
    await expect(asked(ANN)).rejects.toMatchObject({ reason });
    // After a week nothing of it is kept.
    desk.now += 7 * DAY;
    await list(desk, [BOB]);
    const left = await desk.rows.read((sql) => sql.all('select phone from redial_phones'));
    expect(left).toEqual([{ phone: 14155550102 }]);
  });

  test('what was sent can be read again as it was sent, without the key', async () => {
    const desk = await Desk.at(await place());
    const people = [
      {
        phone_number: ANN,
        custom_first_line: 'Hi "Ann", sk-PLANTED.',
        custom_instruction: 'Short.',
        custom_identifiers: 'crm-1',
      },
      { phone_number: BOB },
    ];
    const rows = new KeptRows([' Name ', 'note']);
    rows.add([' Ann ', 'two\r\nlines, sk-PLANTED']);
    rows.add(['Bob', '']);
    expect(await desk.create(people, { rows, contactsFile: { name: 'c.csv', sha256: 'ab' } })).toBe('accepted');
    const { campaigns } = await desk.register.campaigns(SERVICE, 7);
    const [campaign] = campaigns;
    expect(campaign).toMatchObject({
      ...{ outcome: 'accepted', answer: { campaign_id: 11 }, endedAt: NOON + 1000, clockAhead: -5 },
      sent: {
        entry: 1,
        by: 'ana@desk',
        at: new Date(NOON + 1000).toISOString(),
        contacts: { count: 2, file: 'c.csv', file_sha256: 'ab' },
      },
    });
    if (campaign === undefined) return;
    expect(await desk.register.columnsOf(campaign.sent)).toEqual({ names: [' Name ', 'note'], form: undefined });
    const kept = [];
    for await (const one of desk.register.contactsOf(campaign.sent)) kept.push(one);
    expect(kept).toEqual([
      {
        contact: { ...people[0], custom_first_line: 'Hi "Ann", <API_KEY>.' },
        cells: [' Ann ', 'two\r\nlines, <API_KEY>'],
      },
      { contact: people[1], cells: ['Bob', ''] },
    ]);
    const { phones, identifierOf } = await desk.register.keysOf(campaign.sent);
    expect([[...phones], identifierOf(0), identifierOf(1)]).toEqual([[14155550101, 14155550102], 'crm-1', undefined]);
    expect([...(await desk.register.unknownPhones(SERVICE))]).toEqual([]);
    await desk.create([CLEO], { force: true });
    await desk.rows.put('update requests set outcome = null where entry = 2');
    expect([...(await desk.register.unknownPhones(SERVICE))]).toEqual([14155550103]);
  });
});
