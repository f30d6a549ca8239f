/** A campaign by a list to call people again is sent once, without a flag; every other repetition is refused as ever. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/contract.ts';
import { OutcomeUnknownError, ServiceError } from '../../src/errors.ts';
import { systemFiles } from '../../src/files/file-system.ts';
import { type Recording, recorded, requireNew, type Sending } from '../../src/register/recorded.ts';
import { dropRedialsOf, holdsAll, type NewRedial } from '../../src/register/redials.ts';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { temporaryFolder } from '../support/program.ts';

const SERVICE = 'https://voice.example.com';
const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-20T12:00:00Z');
const [ANN, BOB, CLEO, DAN] = ['+14155550101', '+14155550102', '+14155550103', '+14155550104'] as const;

interface Where {
  service?: string;
  organizationId?: number;
}

/** One person's machine, with a clock that can be set. */
class Desk {
  readonly folder = join(temporaryFolder(), 'state');
  now = NOON;
  /** What the service answers. */
  answer: () => Record<string, unknown> = () => ({ success: true, campaign_id: ++this.#campaigns });
  #campaigns = 11;
  readonly register = new Register({
    state: ownState(this.folder),
    systemNow: () => this.now,
    command: 'test',
    warn: () => {},
  });

  recording({ service = SERVICE, organizationId = 7 }: Where = {}): Recording {
    const silent = { redact: (text: string) => text, note: () => {}, warn: () => {} };
    return { register: this.register, service, organizationId, by: 'ana@desk', clockAhead: () => undefined, ...silent };
  }

  async create(numbers: readonly string[], sending: Sending = {}, where: Where = {}): Promise<unknown> {
    this.now += 1000;
    const service = { createCampaign: async () => this.answer(), triggerCall: async () => this.answer() };
    const through = recorded(service as unknown as Service, this.recording(where), sending);
    return through.createCampaign(requestFor(numbers)).then(
      () => 'sent',
      (error: Error & { code: string }) => error.code,
    );
  }

  async call(called_to: string): Promise<void> {
    this.now += 1000;
    const service = { triggerCall: async () => this.answer() } as unknown as Service;
    const request = { use_agent_id: 3, called_to, call_from: '+14155550100', custom_first_line: 'Hi.' };
    await recorded(service, this.recording(), {})
      .triggerCall({ ...request, custom_identifiers: '' })
      .catch(() => {});
  }

  /** What a redial reads before it reads the log. */
  look(): Pick<NewRedial, 'at' | 'lastEntry'> {
    this.now += 1000;
    return { at: this.now, lastEntry: this.register.standing().ledger.lastEntry };
  }

  async redial(numbers: readonly string[], given: Partial<NewRedial> = {}): Promise<void> {
    await this.register.keepRedial({
      service: SERVICE,
      organizationId: 7,
      ...this.look(),
      campaigns: [{ entry: 1, campaign_id: 12, campaign_name: 'Spring' }],
      numbers: Float64Array.from(numbers, (number) => Number(number.slice(1))),
      ...given,
    });
  }

  redialOf(numbers: readonly string[]): readonly unknown[] {
    return requireNew({ operation: 'createCampaign', request: requestFor(numbers) }, this.recording(), {}).redialOf;
  }
}

function requestFor(numbers: readonly string[]) {
  const contacts = numbers.map((phone_number) => ({ phone_number }));
  return { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts };
}

const refusing = () => {
  throw new ServiceError(400, 'refused', 'no');
};
const unanswering = () => {
  throw new OutcomeUnknownError('no answer');
};

const STORIES: [what: string, play: (desk: Desk) => Promise<unknown>, expected: string][] = [
  ['the list is sent once without a flag', (desk) => desk.create([BOB, ANN]), 'sent'],
  ['some of the list', (desk) => desk.create([BOB]), 'sent'],
  ['with a number that was sent before added', (desk) => desk.create([ANN, BOB, CLEO]), 'repeated_campaign'],
  ['with a number that is new added', (desk) => desk.create([ANN, BOB, '+14155550199']), 'repeated_campaign'],
  [
    'the list twice',
    async (desk) => {
      await desk.create([ANN, BOB]);
      return desk.create([ANN, BOB]);
    },
    'repeated_campaign',
  ],
  [
    'the list at once from two terminals',
    async (desk) => (await Promise.all([desk.create([ANN, BOB]), desk.create([ANN, BOB])])).toSorted().join(),
    'repeated_campaign,sent',
  ],
  [
    'half of the list, then the whole',
    async (desk) => {
      await desk.create([ANN]);
      return desk.create([ANN, BOB]);
    },
    'repeated_campaign',
  ],
  [
    'half of the list, then the other half',
    async (desk) => {
      await desk.create([ANN]);
      return desk.create([BOB]);
    },
    'sent',
  ],
  [
    'again where the service refused the first',
    async (desk) => {
      const { answer } = desk;
      desk.answer = refusing;
      await desk.create([ANN, BOB]);
      desk.answer = answer;
      return desk.create([ANN, BOB]);
    },
    'sent',
  ],
  [
    'again where the first has no known outcome',
    async (desk) => {
      const { answer } = desk;
      desk.answer = unanswering;
      await desk.create([ANN, BOB]);
      desk.answer = answer;
      return desk.create([ANN, BOB]);
    },
    'unknown_campaign',
  ],
  [
    'with --again where the first has no known outcome',
    async (desk) => {
      const { answer } = desk;
      desk.answer = unanswering;
      await desk.create([ANN, BOB]);
      desk.answer = answer;
      return desk.create([ANN, BOB], { again: true });
    },
    'unknown_campaign',
  ],
  [
    'after a call whose outcome is unknown',
    async (desk) => {
      const { answer } = desk;
      desk.answer = unanswering;
      await desk.call(ANN);
      desk.answer = answer;
      return desk.create([ANN, BOB]);
    },
    'unknown_call',
  ],
  [
    'within a day',
    (desk) => {
      desk.now += 24 * HOUR - 2000;
      return desk.create([ANN, BOB]);
    },
    'sent',
  ],
  [
    'after a day',
    (desk) => {
      desk.now += 24 * HOUR;
      return desk.create([ANN, BOB]);
    },
    'repeated_campaign',
  ],
  [
    'after a day with --again',
    (desk) => {
      desk.now += 24 * HOUR;
      return desk.create([ANN, BOB], { again: true });
    },
    'sent',
  ],
  [
    'after the clock was set back',
    (desk) => {
      desk.now -= HOUR;
      return desk.create([ANN, BOB]);
    },
    'repeated_campaign',
  ],
  ['for another organization', (desk) => desk.create([ANN, BOB], {}, { organizationId: 8 }), 'repeated_campaign'],
  ['for the same service, spelled otherwise', (desk) => desk.create([ANN], {}, { service: `${SERVICE}:443/` }), 'sent'],
  [
    'after somebody of it was sent in another campaign',
    async (desk) => {
      await desk.create([ANN], { again: true });
      return desk.create([ANN, BOB]);
    },
    'repeated_campaign',
  ],
  [
    'made anew after that',
    async (desk) => {
      await desk.create([ANN], { again: true });
      await desk.redial([BOB]);
      return desk.create([BOB]);
    },
    'sent',
  ],
];

describe('a campaign by a list to call people again', () => {
  test.each(STORIES)('%s', async (_what, play, expected) => {
    const desk = new Desk();
    await desk.create([ANN, BOB, CLEO, DAN]);
    await desk.redial([ANN, BOB]);
    expect(await play(desk)).toBe(expected);
  });

  test('the same list is for no other service', async () => {
    const desk = new Desk();
    const where = { service: 'https://other.example.com' };
    await desk.create([ANN, BOB], {}, where);
    await desk.create([ANN, BOB]);
    await desk.redial([ANN, BOB]);
    expect(await desk.create([ANN, BOB], {}, where)).toBe('repeated_campaign');
  });

  test('a campaign of another organization objects, whose calls the list cannot know', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.create([BOB], { again: true }, { organizationId: 8 });
    await desk.redial([ANN, BOB]);
    expect(await desk.create([ANN, BOB])).toBe('repeated_campaign');
    expect(await desk.create([ANN])).toBe('sent');
  });

  test('a campaign that was sent while the list was being made objects', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    const look = desk.look();
    await desk.create([ANN], { again: true });
    await desk.redial([ANN, BOB], look);
    expect(await desk.create([ANN, BOB])).toBe('repeated_campaign');
  });

  test('a later campaign objects though the register was put back to before, and counts the same entries anew', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN, BOB], { ...desk.look(), lastEntry: 9 });
    await desk.create([ANN, BOB], { again: true });
    expect(await desk.create([ANN, BOB])).toBe('repeated_campaign');
  });

  test('the plan can say whose redial it is, and says nothing of others', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN]);
    expect(desk.redialOf([ANN])).toEqual([{ entry: 1, campaign_id: 12, campaign_name: 'Spring' }]);
    expect(desk.redialOf([DAN])).toEqual([]);
    expect(() => desk.redialOf([BOB])).toThrow('was sent before');
  });

  test('a list that is too old is named, with the campaign to make it of', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN]);
    desk.now += 25 * HOUR;
    expect(() => desk.redialOf([ANN])).toThrow(
      expect.objectContaining({ reason: { kind: 'redial_too_old', at: NOON + 2000, campaignIds: [12] } }),
    );
  });
});

describe('the lists that are kept', () => {
  const pathOf = ({ folder }: Desk, name: string) => join(folder, 'redials', name);
  const namesIn = ({ folder }: Desk) => readdirSync(join(folder, 'redials')).sort();

  test('are for their owner alone, and removed after a week', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN]);
    expect(statSync(pathOf(desk, '1.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(desk.folder, 'redials')).mode & 0o777).toBe(0o700);
    desk.now += 3 * 24 * HOUR;
    await desk.redial([BOB]);
    expect(namesIn(desk)).toEqual(['1.json', '2.json']);
    desk.now += 5 * 24 * HOUR;
    await desk.redial([BOB]);
    expect(namesIn(desk)).toEqual(['2.json', '3.json']);
  });

  test.each([
    ['cut off', (text: string) => text.slice(0, -20)],
    ['of other numbers', (text: string) => text.replace(/"phones":"..../, '"phones":"AAAA')],
    ['of another time', (text: string) => text.replace(/"at":"[^"]*"/, '"at":"soon"')],
    ['no list', () => '[]'],
    ['empty', () => ''],
  ])('one that is %s allows nothing', async (_what, damage) => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN]);
    const path = pathOf(desk, '1.json');
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(await desk.create([ANN])).toBe('repeated_campaign');
  });

  test('go with the campaigns that are forgotten', async () => {
    const desk = new Desk();
    await desk.create([ANN, BOB]);
    await desk.redial([ANN]);
    await desk.redial([BOB], { campaigns: [{ entry: 2, campaign_id: 13, campaign_name: 'Other' }] });
    dropRedialsOf(systemFiles, desk.folder, (entry) => entry === 1);
    expect(namesIn(desk)).toEqual(['2.json']);
  });
});

test.each([
  [[1, 2, 3], [], true],
  [[1, 2, 3], [2], true],
  [[1, 2, 3], [1, 2, 3], true],
  [[1, 2, 3], [1, 4], false],
  [[1, 3], [2], false],
  [[], [1], false],
])('%j holds all of %j: %s', (list, phones, holds) => {
  expect(holdsAll(Float64Array.from(list), Float64Array.from(phones))).toBe(holds);
});
