import { Download, Upload } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { ImportPreview } from '../../../preload/contract/approval-rules.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { saveText } from '../../ui/save-text.ts';
import { toasts } from '../../ui/toasts.tsx';
import { ImportDiff } from './import-diff.tsx';

/** The contract's limit. */
const MAX_IMPORT_CHARS = 1_000_000;

/** Both lists out into a file, and out of one into this home: never without a look at each. */
export function Exchange() {
  const headingId = useId();
  const file = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<{ readonly text: string; readonly preview: ImportPreview }>();
  const [failure, setFailure] = useState<string>();
  const fail = (error: unknown): void => { setOpened(undefined); setFailure(failureWords(error)); };
  const save = (): void => { bridge.request('approvalRules.export', {}).then(({ text }) => { saveText('talaria-rules.json', text, 'application/json'); }, fail); };
  const open = async (chosen: File): Promise<void> => {
    setFailure(undefined);
    const text = await chosen.text();
    if (text.length > MAX_IMPORT_CHARS) {
      setFailure(`${chosen.name} is larger than a million characters. Take a file that “Export” has written.`);
      return;
    }
    setOpened({ text, preview: await bridge.request('approvalRules.importPreview', { text }) });
  };
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-2">
      <h3 id={headingId} className="font-medium">Take along</h3>
      <p className="text-xs text-muted">One file with both lists. Rules of a single chat stay here. Nothing of an import counts before you have ticked it.</p>
      <div className="flex flex-wrap gap-1.5">
        <Button icon={<Download size={14} aria-hidden />} onClick={save}>Export</Button>
        <Button icon={<Upload size={14} aria-hidden />} onClick={() => { file.current?.click(); }}>Import…</Button>
        <input
          ref={file} type="file" accept=".json,application/json" aria-label="File to import" hidden
          onChange={(event) => {
            const chosen = event.target.files?.[0];
            event.target.value = '';
            if (chosen !== undefined) open(chosen).catch(fail);
          }}
        />
      </div>
      {failure === undefined ? null : <InlinePanel tone="danger" role="alert" title="The file could not be taken">{failure}</InlinePanel>}
      {opened === undefined ? null : (
        <ImportDiff
          preview={opened.preview} onClose={() => { setOpened(undefined); }}
          onAccept={async (ids) => {
            try {
              await bridge.request('approvalRules.importAccept', { text: opened.text, ids: [...ids] });
              setOpened(undefined);
              toasts.getState().show({ text: `Took over ${ids.length === 1 ? 'one line' : `${ids.length} lines`} of the file` });
            } catch (error) {
              fail(error);
            }
          }}
        />
      )}
    </section>
  );
}
