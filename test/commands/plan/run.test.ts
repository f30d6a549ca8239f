/** `plan run` over a real service: what is due, and nothing twice. */
import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, numbers, plannedService } from '../../support/planned-service.ts';

const attemptsOf = (calls: readonly { called_to?: unknown }[]) => {
  const counts = new Map<unknown, number>();
  for (const { called_to } of calls) counts.set(called_to, (counts.get(called_to) ?? 0) + 1);
  return counts;
};

describe('a plan that cron runs every ten minutes', async () => {
  const service = await plannedService();
  await service.plan(numbers(40), { callsPerHour: 60, wave: 15 * MINUTE });

  test('is called to its end, wave by wave, each a campaign without retries', async () => {
    let last = await service.step();
    expect(last).toMatchObject({
      plan_id: 1,
      state: 'open',
      reason: '',
      wave: { wave: 1, contacts: 15, from: '+14155550100', start: '2026-11-20T09:00:00.000Z' },
      contacts: { new: 25, handed: 15 },
    });
    for (let run = 0; run < 200 && last.state === 'open'; run++) {
      service.engine.clock.now += 10 * MINUTE;
      last = await service.step();
      expect(Object.values(last.contacts).reduce((sum, count) => sum + count, 0)).toBe(40);
    }
    expect(last).toMatchObject({ state: 'done', next: null, contacts: { new: 0, again: 0, handed: 0, unseen: 0 } });
    const calls = await service.calls();
    expect([...attemptsOf(calls).values()].every((count) => count <= 3)).toBe(true);
    expect(service.sent.length).toBeGreaterThan(4);
    for (const { retry_attempts, start_time, campaign_name } of service.sent) {
      expect(retry_attempts).toBe(0);
      expect(start_time).toMatch(/Z$/);
      expect(campaign_name).toMatch(/^Spring \(plan 1, wave \d+\)$/);
    }
    const { reached = 0, exhausted = 0 } = last.contacts;
    expect(reached + exhausted).toBe(40);
    const isReached = ({ call_status, call_outcome }: (typeof calls)[number]) =>
      call_status === 'completed' && call_outcome !== 'voicemail_left';
    expect(calls.filter(isReached)).toHaveLength(reached);
  });

  test('stands in the register, wave by wave', async () => {
    const { requests } = await (await service.register()).requests({ service: service.url });
    const marks = requests.map(({ sent, outcome }) => [
      sent.operation === 'createCampaign' && sent.plan?.wave,
      outcome,
    ]);
    expect(marks).toEqual(service.sent.map((_request, at) => [at + 1, 'accepted']));
  });

  test('run once more does nothing', async () => {
    const { length } = service.sent;
    service.engine.clock.now += 30 * HOUR;
    expect(await service.step()).toMatchObject({ state: 'done', wave: null });
    expect(service.sent).toHaveLength(length);
  });
});

test('a service that counts nothing after the end of its log, which has one call: the run ends', async () => {
  const service = await plannedService();
  service.faults.getCallLogs = async (_request, answer) => {
    const page = (await answer()) as { calls: unknown[]; total: number };
    return page.calls.length === 0 ? { ...page, total: 0 } : page;
  };
  await service.plan(['+12025550192']);
  expect(await service.step()).toMatchObject({ contacts: { handed: 1 } });
  service.engine.clock.now += MINUTE;
  expect(await service.step()).toMatchObject({ contacts: { again: 1 } });
});
