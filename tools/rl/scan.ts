/** Environments of the checkout: classes derived from BaseEnv, found in the syntax tree, never by running them. */
import type { Place } from './answer.ts';
import { python, RlError } from './answer.ts';

export type FieldValue = string | number | boolean | null;
export interface Field { readonly type: string; readonly default: FieldValue; readonly description: string }
export interface FoundEnvironment { readonly name: string; readonly class_name: string; readonly file_path: string; readonly description: string; readonly config: Readonly<Record<string, Field>> }

/** Prints a JSON list. Files that do not parse are left out and named on the last element's `skipped`. */
const PROGRAM = `
import ast, json, pathlib, sys

def literal(node, fallback=None):
    try:
        return ast.literal_eval(node)
    except Exception:
        return fallback

def plain(value):
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)

def bases(node):
    return [ast.unparse(base) for base in node.bases]

def fields(node):
    found = {}
    for item in node.body:
        if not (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith('_')):
            continue
        default, words = None, ''
        value = item.value
        if isinstance(value, ast.Call) and ast.unparse(value.func).endswith('Field'):
            if value.args:
                default = literal(value.args[0])
            for keyword in value.keywords:
                if keyword.arg == 'default':
                    default = literal(keyword.value)
                if keyword.arg == 'description':
                    words = literal(keyword.value, '') or ''
        elif value is not None:
            default = literal(value)
        found[item.target.id] = {'type': ast.unparse(item.annotation), 'default': plain(default), 'description': words}
    return found

def defaults(env):
    # config_init builds the config with the values this environment really starts from.
    for item in env.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == 'config_init':
            for call in ast.walk(item):
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith('Config'):
                    return {keyword.arg: plain(literal(keyword.value)) for keyword in call.keywords if keyword.arg}
    return {}

result, skipped = [], []
root = pathlib.Path('tinker_atropos/environments')
for file in sorted(root.rglob('*.py')):
    if file.name.startswith('_'):
        continue
    try:
        tree = ast.parse(file.read_text(encoding='utf-8'))
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        skipped.append('%s: %s' % (file, error))
        continue
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in classes.values():
        if not any(base.split('.')[-1] == 'BaseEnv' for base in bases(node)):
            continue
        name, config = None, {}
        for item in node.body:
            target = item.targets[0] if isinstance(item, ast.Assign) else item.target if isinstance(item, ast.AnnAssign) else None
            if isinstance(target, ast.Name) and target.id == 'name':
                name = literal(item.value)
            if isinstance(target, ast.Name) and target.id == 'env_config_cls' and isinstance(item.value, ast.Name) and item.value.id in classes:
                config = fields(classes[item.value.id])
        for field, value in defaults(node).items():
            config.setdefault(field, {'type': type(value).__name__, 'default': value, 'description': ''})['default'] = value
        result.append({'name': name or file.stem, 'class_name': node.name, 'file_path': str(file), 'description': (ast.get_docstring(node) or ast.get_docstring(tree) or '').strip().split('\\n\\n')[0], 'config': config})
print(json.dumps({'environments': result, 'skipped': skipped}))
`;

export async function scan(place: Place, signal: AbortSignal): Promise<{ readonly environments: readonly FoundEnvironment[]; readonly skipped: readonly string[] }> {
  const found = await python(place, PROGRAM, [], signal);
  if (typeof found !== 'object' || found === null || !('environments' in found) || !Array.isArray(found.environments)) throw new RlError('The scan of the environments gave no list.');
  return found as { environments: FoundEnvironment[]; skipped: string[] }; // cast: printed by the program above
}
