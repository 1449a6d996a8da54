import { useEffect, useState } from 'react';
import { bridge, toErrorShape } from '../../bridge.ts';
import { CompletionList, useCompletion } from './completion.tsx';
import type { Choice, Completion } from './completion.tsx';
import { useChat } from './context.tsx';
import { slashWord, toolWord } from './composer-model.ts';
import { useChatSlots } from './slots.tsx';

export interface SlashMenuState extends Completion {
  readonly problem: string | undefined;
}

const MAX_CHOICES = 8;

interface KnownTool {
  readonly name: string;
  readonly description: string;
}

/** What `/` and `/tool ` offer, and the keys that walk through it. A skill's name stays in the message: the host brings its text. */
export function useSlashMenu(text: string, onText: (text: string) => void): SlashMenuState {
  const { slashCommands } = useChatSlots();
  const typedTool = toolWord(text);
  const { tools, problem } = useTools(typedTool !== undefined);
  const word = slashWord(text);
  const skills = useSkills(word !== undefined);

  const choices: Choice[] = [];
  if (word !== undefined) {
    if ('tool'.startsWith(word)) choices.push({ label: '/tool', description: 'Run one tool yourself: /tool NAME {"argument": …}', choose: () => { onText('/tool '); } });
    for (const command of slashCommands) {
      if (command.name.startsWith(word)) choices.push({ label: `/${command.name}`, description: command.description, choose: () => { onText(''); command.run(); } });
    }
    for (const skill of skills.filter((each) => each.names.some((name) => name.startsWith(word))).slice(0, MAX_CHOICES)) {
      choices.push({ label: `/${skill.name}`, description: skill.description, choose: () => { onText(`/${skill.name} `); } });
    }
    if (word === '') choices.push({ label: '!', description: 'Run a command in this chat’s terminal', choose: () => { onText('!'); } });
  }
  if (typedTool !== undefined) {
    for (const tool of tools.filter((candidate) => candidate.name.includes(typedTool) && candidate.name !== typedTool).slice(0, MAX_CHOICES)) {
      choices.push({ label: tool.name, description: tool.description, choose: () => { onText(`/tool ${tool.name} `); } });
    }
  }
  return { ...useCompletion(text, choices), problem };
}

export function SlashMenu({ menu }: { readonly menu: SlashMenuState }) {
  return <CompletionList menu={menu} note={menu.choices.length === 0 ? menu.problem : undefined} tone="danger" />;
}

interface KnownSkill {
  /** Short where no other skill is called so. */
  readonly name: string;
  readonly names: readonly string[];
  readonly description: string;
}

/** Skills that chats on this computer may use, asked for when a slash is typed. Where they cannot be read, the Skills page says why. */
function useSkills(wanted: boolean): readonly KnownSkill[] {
  const [skills, setSkills] = useState<readonly KnownSkill[]>([]);
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    bridge.request('skills.list', {}).then(
      ({ skills: all }) => {
        if (!current) return;
        const usable = all.filter(({ enabled, suits, problem, offIn }) => enabled && suits && problem === null && !offIn.includes('cli'));
        setSkills(usable.map(({ path, name, description }) => ({ name: all.filter((other) => other.name === name).length === 1 ? name : path, names: [name, path], description: firstSentence(description) })));
      },
      () => { if (current) setSkills([]); },
    );
    return () => { current = false; };
  }, [wanted]);
  return skills;
}

/** Tools of this chat that can run now, asked for when `/tool ` is typed. */
function useTools(wanted: boolean): { readonly tools: readonly KnownTool[]; readonly problem: string | undefined } {
  const sessionId = useChat((chat) => chat.sessionId);
  const [tools, setTools] = useState<readonly KnownTool[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    bridge.request('toolsets.list', sessionId === undefined ? {} : { sessionId }).then(
      (toolsets) => {
        if (!current) return;
        const found = toolsets.filter((toolset) => toolset.enabled && toolset.available).flatMap((toolset) => toolset.tools);
        const byName = new Map(found.filter((tool) => tool.available).map((tool) => [tool.name, { name: tool.name, description: firstSentence(tool.description) }]));
        setTools([...byName.values()]);
        setProblem(undefined);
      },
      (error: unknown) => { if (current) setProblem(toErrorShape(error).message); },
    );
    return () => { current = false; };
  }, [wanted, sessionId]);
  return { tools, problem: wanted ? problem : undefined };
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s|\n/, 1)[0] ?? text;
}
