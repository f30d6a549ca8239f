/** Asks which of the profiles is meant; the active one is preset. */

import { filled } from '../../../cli/flags/values.ts';
import type { ListQuestion } from '../../../cli/terminal/asking.ts';
import type { Context } from '../../../context.ts';

export function askProfile({ settings }: Context): ListQuestion<string> {
  return {
    flag: '<name>',
    message: 'Profile',
    choices: async () => {
      const { active, profiles } = settings.config();
      return Object.entries(profiles).map(([name, { mode, base_url }]) => ({
        name: `${name}  (${mode === 'local' ? 'local engine' : base_url}${name === active ? ', active' : ''})`,
        value: name,
      }));
    },
    parse: filled,
    preset: settings.config().active,
  };
}
