import { useId } from 'react';
import { Select } from '../../ui/input.tsx';
import { changeSettings, useSettings } from './live.ts';
import { Row } from './row.tsx';

const PICTURES = { auto: 'Where the model takes them', on: 'Always', off: 'Never' } as const;

/** Whether pictures that are attached to a message are sent to the model, for the section about the model. */
export function PicturesRow() {
  const { settings } = useSettings();
  const id = useId();
  return (
    <Row label="Pictures" htmlFor={id} hint="Attached pictures are sent to the model itself. A model that refuses them gets the path instead, and can have another one look (vision_analyze).">
      <Select
        id={id} disabled={settings === undefined || settings.problem !== null} value={settings?.model.vision ?? 'auto'} className="w-56"
        onChange={(event) => { const modelVision = event.target.value as keyof typeof PICTURES; void changeSettings({ modelVision }); }}
      >
        {Object.entries(PICTURES).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </Select>
    </Row>
  );
}
