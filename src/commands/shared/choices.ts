/** Choices for questions, from live lists. Items without a usable id are left out. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { agentPages } from '../../calls/paging/agents.ts';
import { callIdOf } from '../../calls/paging/identity.ts';
import type { CallFilters } from '../../calls/paging/pages.ts';
import { filled } from '../../cli/flags/values.ts';
import type { Choice } from '../../cli/terminal/live-list.ts';
import { cell } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { E164, type RequestOf, type SilentService } from '../../contract.ts';
import { isTransient, UsageError } from '../../errors.ts';
import { fileError } from '../../storage/files/file-system.ts';

export async function* agentChoices(
  connect: () => Promise<SilentService>,
  status?: RequestOf<'getAgents'>['status'],
): AsyncGenerator<Choice<number>[]> {
  for await (const { agents } of agentPages(await connect(), { status })) {
    yield agents.flatMap(({ agent_id, agent_name, language, status: own }) => {
      const about = [cell(language) || '?', status === undefined && cell(own)].filter(Boolean).join(', ');
      return typeof agent_id === 'number'
        ? { name: `${agent_id}  ${cell(agent_name)} (${about})`, value: agent_id }
        : [];
    });
  }
}

export async function voiceChoices(service: SilentService, language: string | undefined): Promise<Choice<number>[]> {
  const { voices } = await service.getVoices({ language });
  return voices.flatMap(({ voice_id, voice_name, language_name, gender, accent, style }) => {
    const about = [language_name, gender, accent, style].map(cell).filter((text) => text !== '');
    return typeof voice_id === 'number'
      ? { name: `${voice_id}  ${cell(voice_name)} (${about.join(', ')})`, value: voice_id }
      : [];
  });
}

/** The numbers to call from: those of the local engine, or those that the log and the register of a real service know. */
export async function numberChoices(context: Context): Promise<Choice<string>[]> {
  if (!context.settings.isRemote()) return registeredNumbers(context);
  const fromRegister = await numbersSent(context);
  try {
    return await numbersInLog(await context.services.chosen(), fromRegister);
  } catch (error) {
    if (fromRegister.length === 0 || !isTransient(error)) throw error;
    context.io.error(`Numbers of recent calls are not among the choices: ${error.message}`);
    return [...new Set(fromRegister)].map((number) => ({ name: number, value: number }));
  }
}

export async function registeredNumbers(context: Context): Promise<Choice<string>[]> {
  const { timeline } = await context.local.engine();
  const { snapshot } = await timeline.read();
  return snapshot.state.organization.numbers.map((number) => ({ name: number, value: number }));
}

/** The numbers that the calls of the log's first page were made from, and `others`. */
export async function numbersInLog(service: SilentService, others: readonly string[] = []): Promise<Choice<string>[]> {
  const { calls } = await service.getCallLogs({});
  const counts = new Map(others.map((number) => [number, 0]));
  for (const { call_from } of calls) {
    if (typeof call_from === 'string' && E164.test(call_from)) counts.set(call_from, (counts.get(call_from) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, calls], [, otherCalls]) => otherCalls - calls)
    .map(([number, calls]) => ({ name: calls === 0 ? number : `${number}  (recent calls: ${calls})`, value: number }));
}

async function numbersSent({ register }: Context): Promise<string[]> {
  const { service, organizationId } = register.target();
  const { campaigns } = await (await register.open()).campaigns(service, organizationId);
  return campaigns.map(({ sent }) => sent.request.call_from);
}

/** The calls of the log's first page. */
export async function callChoices(service: SilentService, filters: CallFilters): Promise<Choice<string>[]> {
  const { calls } = await service.getCallLogs(filters);
  return calls.flatMap((call) => {
    const id = callIdOf(call);
    const about = [call.timestamp, call.called_to, call.call_status].map(cell).join('  ');
    return id === undefined ? [] : { name: `${id}  ${about}`, value: id };
  });
}

const TABLE = /\.(csv|xlsx|tsv|txt)$/i;

/** The files in the working folder that may be tables: CSVs first, and the latest of each kind. */
export async function tableChoices(): Promise<Choice<string>[]> {
  const entries = await readdir('.', { withFileTypes: true }).catch(() => []);
  const tables = entries.filter((entry) => entry.isFile() && TABLE.test(entry.name));
  const dated = await Promise.all(tables.map(async ({ name }) => ({ name, at: (await stat(name)).mtimeMs })));
  const isCsv = (name: string) => Number(/\.csv$/i.test(name));
  return dated
    .toSorted((one, other) => isCsv(other.name) - isCsv(one.name) || other.at - one.at)
    .map(({ name }) => ({ name, value: name }));
}

/** Throws UsageError unless the path is a file that can be read. */
export async function existingFile(path: string): Promise<string> {
  filled(path);
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  if ((await stat(path)).isDirectory()) throw new UsageError(`${path} is a folder.`);
  return path;
}
