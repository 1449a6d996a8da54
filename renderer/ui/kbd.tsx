import { classNames } from './class-names.ts';

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

const MAC_NAMES = new Map([['Mod', '⌘'], ['Shift', '⇧'], ['Alt', '⌥'], ['Enter', '↩']]);
const OTHER_NAMES = new Map([['Mod', 'Ctrl'], ['Enter', 'Enter']]);

/** `Mod+Shift+O` as this machine's keyboard calls it. */
export function keyNames(keys: string): readonly string[] {
  const names = isMac ? MAC_NAMES : OTHER_NAMES;
  return keys.split('+').map((key) => names.get(key) ?? key);
}

/** Keys of a shortcut, written `Mod+K`; `Mod` is Ctrl, or ⌘ on a Mac. */
export function Kbd({ keys, className }: { readonly keys: string; readonly className?: string }) {
  return (
    <kbd className={classNames('inline-flex gap-0.5 font-sans text-2xs whitespace-nowrap text-muted', className)}>
      {keyNames(keys).map((name) => (
        <span key={name} className="min-w-4 rounded-sm border border-line bg-sunken px-1 text-center leading-[14px]">{name}</span>
      ))}
    </kbd>
  );
}
