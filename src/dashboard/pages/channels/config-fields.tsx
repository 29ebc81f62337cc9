/** Where a channel delivers to. What is kept can be replaced, never read. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { Field } from '../../parts/forms/field.tsx';
import { HiddenInput } from '../../parts/forms/hidden-input.tsx';
import { channelKinds } from '../../view/channels/channel-kinds.ts';

type Config = Readonly<Record<string, string>>;

interface ConfigFieldsProps {
  type: Channel['type'];
  /** What was typed; null keeps what the channel has. */
  config: Config | null;
  /** Whether the channel has one already. */
  isKept: boolean;
  errorOf: (field: string) => string | null;
  onChange: (config: Config | null) => void;
}

/** The fields of the type. */
export function ConfigFields({ type, config, isKept, errorOf, onChange }: ConfigFieldsProps) {
  if (config === null) {
    return (
      <div class="actions">
        <span>Kept. jobd never shows it again.</span>
        <button type="button" onClick={() => onChange({})}>
          Replace
        </button>
      </div>
    );
  }
  return (
    <>
      {Object.entries(channelKinds[type].fields).map(([name, field]) => (
        <Field
          key={`${type} ${name}`}
          label={field.isOptional ? `${field.label} (optional)` : field.label}
          hint={
            isKept && name === 'secret' ? 'Leave it empty to keep the one there is.' : field.hint
          }
          error={errorOf(name)}
        >
          {(control) => {
            const value = config[name] ?? '';
            const set = (text: string): void => onChange({ ...config, [name]: text });
            if (field.isHidden)
              return <HiddenInput control={control} value={value} onInput={set} />;
            return (
              <input
                {...control}
                value={value}
                placeholder={field.placeholder}
                spellcheck={false}
                autocomplete="off"
                autocapitalize="off"
                onInput={({ currentTarget }) => set(currentTarget.value)}
              />
            );
          }}
        </Field>
      ))}
      {isKept && (
        <p>
          <button type="button" onClick={() => onChange(null)}>
            Keep the old one
          </button>
        </p>
      )}
    </>
  );
}
