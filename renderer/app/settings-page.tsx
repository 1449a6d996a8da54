import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { McpSection } from '../features/mcp/index.tsx';
import { MessengersSection } from '../features/messengers/index.tsx';
import { MemorySection } from '../features/memory/index.tsx';
import { ModelSettings } from '../features/models/index.tsx';
import { SchedulesSection } from '../features/schedules/index.tsx';
import { PicturesRow, SettingsSections } from '../features/settings/index.tsx';
import { SkillsSection } from '../features/skills/index.tsx';
import { TERMINAL_KEYS } from '../features/terminals/index.tsx';
import { classNames } from '../ui/class-names.ts';
import type { SettingsSection } from '../ui/frame.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { ShortcutTable } from './help.tsx';
import type { Navigation } from './navigation.ts';
import { ELSEWHERE } from './shortcuts.ts';
import type { Shortcut } from './shortcuts.ts';

export interface SettingsPageProps {
  readonly sectionId: string | undefined;
  readonly navigation: Navigation;
  readonly shortcuts: readonly Shortcut[];
  /** Stands left in the title row. */
  readonly headerStart: ReactNode;
}

const MODEL: SettingsSection = { id: 'model', title: 'Model', Component: ModelSection };
/** The one without a component is the page's own list of keys. */
const SECTIONS: readonly (Omit<SettingsSection, 'Component'> & Partial<SettingsSection>)[] = [MODEL, ...SettingsSections, McpSection, SchedulesSection, SkillsSection, MemorySection, MessengersSection, { id: 'keys', title: 'Keys' }];

function ModelSection() {
  return (
    <div className="flex flex-col gap-3">
      <ModelSettings />
      <PicturesRow />
    </div>
  );
}

/** A page of its own: sections left, one of them open. */
export function SettingsPage({ sectionId, navigation, shortcuts, headerStart }: SettingsPageProps) {
  const section = SECTIONS.find(({ id }) => id === sectionId) ?? MODEL;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => { heading.current?.focus(); }, [section.id]);
  return (
    <section aria-label="Settings" data-pane="settings" className="flex h-full min-w-0 flex-col bg-canvas">
      <header className="flex h-10 shrink-0 items-center gap-2 border-b border-line px-2">
        {headerStart}
        <h1 className="flex-1 pl-1 font-medium">Settings</h1>
        <IconButton icon={X} label="Back to the chat" keys="Esc" onClick={() => { navigation.closeSettings(); }} />
      </header>
      <div className="flex min-h-0 flex-1">
        <nav aria-label="Sections of the settings" className="w-40 shrink-0 overflow-y-auto border-r border-line p-2">
          <ul className="flex flex-col gap-px">
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button" aria-current={id === section.id ? 'page' : undefined} onClick={() => { navigation.openSettings(id); }}
                  className={classNames('focus-inset flex h-8 w-full items-center rounded-md px-2 text-left', id === section.id ? 'bg-selected font-medium' : 'text-muted hover:bg-hover hover:text-ink')}
                >
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <div tabIndex={-1} className="min-w-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
          <div className="mx-auto max-w-160 px-6 py-6">
            <h2 ref={heading} tabIndex={-1} className="pb-4 text-xl font-semibold outline-none">{section.title}</h2>
            {section.Component === undefined ? <Keys shortcuts={shortcuts} /> : <section.Component />}
          </div>
        </div>
      </div>
    </section>
  );
}

function Keys({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <div className="flex flex-col gap-6">
      <ShortcutTable title="Everywhere" shortcuts={shortcuts} />
      <ShortcutTable title="In a chat and its list" shortcuts={ELSEWHERE} />
      <ShortcutTable title="In a terminal" shortcuts={TERMINAL_KEYS} />
    </div>
  );
}
