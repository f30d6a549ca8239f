/** Choices for questions, from the service's live lists. */
import type { Service } from '../contract.ts';
import type { Choice } from '../prompt.ts';

export async function agentChoices(service: Service): Promise<Choice<number>[]> {
  const { agents } = await service.getAgents({ status: 'active' });
  return agents.map(({ agent_id, agent_name, language }) => ({
    name: `${agent_id}  ${agent_name ?? ''} (${language ?? '?'})`,
    value: agent_id,
  }));
}

export async function voiceChoices(service: Service, language: string | undefined): Promise<Choice<number>[]> {
  const { voices } = await service.getVoices({ language });
  return voices.map(({ voice_id, voice_name, language_name, gender, accent, style }) => ({
    name: `${voice_id}  ${voice_name ?? ''} (${[language_name, gender, accent, style].filter(Boolean).join(', ')})`,
    value: voice_id,
  }));
}
