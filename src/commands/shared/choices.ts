/** Choices for questions, from the service's lists. Items without a usable id are left out. */
import type { Service } from '../../contract.ts';
import { cell } from '../../terminal/output.ts';
import type { Choice } from '../../terminal/prompt.ts';

export async function agentChoices(service: Service): Promise<Choice<number>[]> {
  const { agents } = await service.getAgents({ status: 'active' });
  return agents.flatMap(({ agent_id, agent_name, language }) =>
    typeof agent_id === 'number'
      ? { name: `${agent_id}  ${cell(agent_name)} (${cell(language) || '?'})`, value: agent_id }
      : [],
  );
}

export async function voiceChoices(service: Service, language: string | undefined): Promise<Choice<number>[]> {
  const { voices } = await service.getVoices({ language });
  return voices.flatMap(({ voice_id, voice_name, language_name, gender, accent, style }) => {
    const about = [language_name, gender, accent, style].map(cell).filter((text) => text !== '');
    return typeof voice_id === 'number'
      ? { name: `${voice_id}  ${cell(voice_name)} (${about.join(', ')})`, value: voice_id }
      : [];
  });
}
