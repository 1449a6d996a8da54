/** The public door of skills: a section of the settings. */
import type { SettingsSection } from '../../ui/frame.tsx';
import { skills, useFollowSkills, useSkills } from './live.ts';
import { NewSkill } from './new-skill.tsx';
import { SkillBrowser } from './skill-browser.tsx';
import { SkillPage } from './skill-page.tsx';

function Skills() {
  useFollowSkills();
  const place = useSkills((model) => model.place);
  switch (place.kind) {
    case 'list': return <SkillBrowser />;
    case 'new': return <NewSkill />;
    case 'skill': return <SkillPage key={place.path} path={place.path} file={place.file} onFile={(file) => { skills.go({ ...place, file }); }} />;
  }
}

export const SkillsSection: SettingsSection = { id: 'skills', title: 'Skills', Component: Skills };
