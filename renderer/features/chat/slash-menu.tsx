import { useEffect, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { bridge, toErrorShape } from '../../bridge.ts';
import { classNames } from '../../ui/class-names.ts';
import { useChat } from './context.tsx';
import { slashWord, toolWord } from './composer-model.ts';
import { useChatSlots } from './slots.tsx';

interface Choice {
  readonly label: string;
  readonly description: string;
  /** What the field holds afterwards; a choice that runs something empties it. */
  readonly choose: () => void;
}

export interface SlashMenuState {
  readonly choices: readonly Choice[];
  readonly selected: number;
  readonly problem: string | undefined;
  /** True when the key was for the menu. */
  onKeyDown(event: KeyboardEvent): boolean;
  readonly fieldProps: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string; readonly 'aria-autocomplete'?: 'list' };
}

const MENU_ID = 'slash-menu';
const MAX_CHOICES = 8;

interface KnownTool {
  readonly name: string;
  readonly description: string;
}

/** What `/` and `/tool ` offer, and the keys that walk through it. */
export function useSlashMenu(text: string, onText: (text: string) => void): SlashMenuState {
  const { slashCommands } = useChatSlots();
  const [at, setAt] = useState({ text, index: 0, closed: false });
  const typedTool = toolWord(text);
  const { tools, problem } = useTools(typedTool !== undefined);
  const word = slashWord(text);
  const here = at.text === text ? at : { text, index: 0, closed: false };

  const choices: Choice[] = [];
  if (!here.closed && word !== undefined) {
    if ('tool'.startsWith(word)) choices.push({ label: '/tool', description: 'Run one tool yourself: /tool NAME {"argument": …}', choose: () => { onText('/tool '); } });
    for (const command of slashCommands) {
      if (command.name.startsWith(word)) choices.push({ label: `/${command.name}`, description: command.description, choose: () => { onText(''); command.run(); } });
    }
    if (word === '') choices.push({ label: '!', description: 'Run a command in this chat’s terminal', choose: () => { onText('!'); } });
  }
  if (!here.closed && typedTool !== undefined) {
    for (const tool of tools.filter((candidate) => candidate.name.includes(typedTool) && candidate.name !== typedTool).slice(0, MAX_CHOICES)) {
      choices.push({ label: tool.name, description: tool.description, choose: () => { onText(`/tool ${tool.name} `); } });
    }
  }
  const selected = Math.min(here.index, Math.max(0, choices.length - 1));

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (choices.length === 0) return false;
    const exact = choices.find((choice) => choice.label === text.trim());
    switch (event.key) {
      case 'ArrowDown': setAt({ ...here, index: (selected + 1) % choices.length }); break;
      case 'ArrowUp': setAt({ ...here, index: (selected + choices.length - 1) % choices.length }); break;
      case 'Escape': setAt({ ...here, closed: true }); break;
      case 'Tab': choices[selected]?.choose(); break;
      case 'Enter':
        if (event.shiftKey || event.ctrlKey || event.metaKey) return false;
        (here.index === 0 && exact !== undefined ? exact : choices[selected])?.choose();
        break;
      default: return false;
    }
    event.preventDefault();
    return true;
  };
  const open = choices.length > 0;
  return {
    choices, selected, problem, onKeyDown,
    fieldProps: open ? { 'aria-autocomplete': 'list', 'aria-controls': MENU_ID, 'aria-activedescendant': `${MENU_ID}-${selected}` } : {},
  };
}

export function SlashMenu({ menu }: { readonly menu: SlashMenuState }) {
  if (menu.choices.length === 0) {
    return menu.problem === undefined ? null : <p className="absolute bottom-full left-0 mb-1 text-xs text-danger">{menu.problem}</p>;
  }
  return (
    <ul id={MENU_ID} role="listbox" aria-label="Suggestions" className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised">
      {menu.choices.map((choice, index) => (
        <li
          key={choice.label} id={`${MENU_ID}-${index}`} role="option" aria-selected={index === menu.selected}
          onMouseDown={(event) => { event.preventDefault(); choice.choose(); }}
          className={classNames('flex h-7 items-center gap-3 rounded-md px-2', index === menu.selected && 'bg-hover')}
        >
          <span className="shrink-0 font-mono text-xs">{choice.label}</span>
          <span className="min-w-0 flex-1 truncate text-xs text-muted">{choice.description}</span>
        </li>
      ))}
    </ul>
  );
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
