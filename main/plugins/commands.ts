/** `/name words` in a chat: commands that plugins add. */
import { AppError } from '../../preload/contract/errors.ts';

export interface PluginCommand {
  readonly owner: string;
  readonly description: string;
  /** What the chat shows. Rejects with what the plugin threw. */
  run(words: string, sessionId: string): Promise<string>;
}

export interface PluginCommands {
  /** The returned function takes it away. Throws `request/invalid` for a name that is none or is taken. */
  add(name: string, command: PluginCommand): () => void;
  /** The command a typed text means; undefined for any other text. */
  find(text: string): { readonly name: string; readonly command: PluginCommand; readonly words: string } | undefined;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
/** The app's own. */
const RESERVED: ReadonlySet<string> = new Set(['tool']);

export function createPluginCommands(): PluginCommands {
  const commands = new Map<string, PluginCommand>();
  return {
    add(name, command) {
      if (!NAME.test(name) || RESERVED.has(name)) throw new AppError('request/invalid', `'/${name}' cannot be the name of a command.`, { hint: 'Small letters, digits, - and _, and not /tool.' });
      const other = commands.get(name);
      if (other !== undefined) throw new AppError('request/invalid', `'/${name}' is a command of plugin '${other.owner}' already.`);
      commands.set(name, command);
      return () => { if (commands.get(name) === command) commands.delete(name); };
    },
    find(text) {
      const typed = /^\/([a-z][a-z0-9_-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
      const name = typed?.[1];
      const command = name === undefined ? undefined : commands.get(name);
      return name === undefined || command === undefined ? undefined : { name, command, words: typed?.[2]?.trim() ?? '' };
    },
  };
}
