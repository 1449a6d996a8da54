import { Button } from '../../ui/button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { reloadSettings, useSettings } from './live.ts';

/** Says where config.yaml is broken and what that means until it is mended. Draws nothing when all is well. */
export function ConfigProblemBanner({ className }: { readonly className?: string }) {
  const { settings, failure } = useSettings();
  const look = className === undefined ? {} : { className };
  if (failure !== undefined) {
    return <InlinePanel tone="danger" role="alert" title="The settings could not be read" actions={<Button size="small" onClick={() => { void reloadSettings(); }}>Try again</Button>} {...look}>{failure}</InlinePanel>;
  }
  const problem = settings?.problem;
  if (problem === undefined || problem === null) return null;
  const where = problem.line === null ? problem.path : `${problem.path}, line ${problem.line}${problem.column === null ? '' : `, column ${problem.column}`}`;
  return (
    <InlinePanel tone="danger" role="alert" title="config.yaml cannot be read" {...look}>
      <p><code>{where}</code>: {problem.message}</p>
      <p className="mt-1">Talaria runs on its defaults and cannot save any setting until the file is mended. Nothing in it was touched; it is read again as soon as it changes.</p>
    </InlinePanel>
  );
}
