/** The smart home: see its entities and services, call a service. Off until a person switches the toolset on (hermes-runtime 7.8). */
import { type CheckFunction, type ToolHandler, type ToolSchema, registry } from './registry.ts';
import type * as actions from './homeassistant/actions.ts';
import { homeAssistant } from './homeassistant/connection.ts';

const isSetUp: CheckFunction = ({ config, env }) => {
  const home = homeAssistant(config, env);
  return 'error' in home ? { step: home.step, message: home.error, fix: home.fix } : true;
};

const ENTITY_ID = { type: 'string', description: "Entity, such as 'light.kitchen'." } as const;
const DOMAIN = { type: 'string', description: "Kind of entity or service, such as 'light', 'climate' or 'sensor'." } as const;

const LIST_ENTITIES: ToolSchema = {
  description: 'List entities of the smart home with their states. Filter by kind (domain) or by room (area) to keep the list short.',
  parameters: { type: 'object', properties: { domain: DOMAIN, area: { type: 'string', description: "Room or area, such as 'Kitchen'. Its devices' entities count too." } } },
};
const GET_STATE: ToolSchema = {
  description: 'State of one entity with all attributes: brightness, temperature, battery and so on.',
  parameters: { type: 'object', properties: { entity_id: ENTITY_ID }, required: ['entity_id'] },
};
const LIST_SERVICES: ToolSchema = {
  description: 'List the services that can be called, with their fields. Name a domain: the whole list is long.',
  parameters: { type: 'object', properties: { domain: DOMAIN } },
};
const CALL_SERVICE: ToolSchema = {
  description: 'Call a service of the smart home, such as light.turn_on. Look up its fields with ha_list_services. Unlocking, disarming and stopping the system are asked of the person first.',
  parameters: {
    type: 'object',
    properties: {
      domain: { type: 'string', description: "Domain of the service, such as 'light'." },
      service: { type: 'string', description: "Service of that domain, such as 'turn_on'." },
      entity_id: { type: 'string', description: 'Entity it acts on, where the service needs one.' },
      data: { type: 'string', description: 'Further fields as a JSON object in text, such as \'{"brightness_pct": 40}\'.' },
    },
    required: ['domain', 'service'],
  },
};

const load = (): Promise<typeof actions> => import('./homeassistant/actions.ts');
const TOOLS: readonly { readonly name: string; readonly emoji: string; readonly schema: ToolSchema; readonly handler: ToolHandler }[] = [
  { name: 'ha_list_entities', emoji: '🏠', schema: LIST_ENTITIES, handler: async (args, context) => (await load()).listEntities(args, context) },
  { name: 'ha_get_state', emoji: '🔎', schema: GET_STATE, handler: async (args, context) => (await load()).getState(args, context) },
  { name: 'ha_list_services', emoji: '🧰', schema: LIST_SERVICES, handler: async (args, context) => (await load()).listServices(args, context) },
  { name: 'ha_call_service', emoji: '🎛️', schema: CALL_SERVICE, handler: async (args, context) => (await load()).callService(args, context) },
];

for (const tool of TOOLS) {
  registry.register({ ...tool, toolset: 'homeassistant', checkFn: isSetUp, requiresEnv: ['HASS_TOKEN'], maxResultSizeChars: 100_000 });
}
