/** Where a channel delivers to. What is kept can be replaced, never read. */

import { Button } from '../../parts/basic.tsx';
import type { Channel } from '../../../api/alerts/contract.ts';
import { SecretField, TextField } from '../../parts/forms/field.tsx';
import type { FormParts } from '../../parts/forms/items.tsx';
import type { ChannelForm } from '../../view/channel-form.ts';
import { channelKinds } from '../../view/channel-kinds.ts';

/** The fields of the type. */
export function ConfigFields({ form, thing, errorOf, edit }: FormParts<ChannelForm, Channel>) {
  const { type, config } = form;
  if (config === null) {
    return (
      <div class="actions">
        <span>Kept. jobd never shows it again.</span>
        <Button onClick={() => edit({ config: {} })}>Replace</Button>
      </div>
    );
  }
  return (
    <>
      {Object.entries(channelKinds[type].fields).map(([name, field]) => {
        const isKept = thing !== null && name === 'secret';
        const value = config[name] ?? '';
        const parts = {
          name,
          value,
          label: field.isOptional ? `${field.label} (optional)` : field.label,
          hint: isKept ? 'Leave it empty to keep the one there is.' : field.hint,
          error: errorOf(name),
          onChange: (text: string): void => edit({ config: { ...config, [name]: text } }),
        };
        const key = `${type} ${name}`;
        if (field.isHidden) return <SecretField key={key} {...parts} />;
        return <TextField key={key} {...parts} placeholder={field.placeholder} />;
      })}
      {thing !== null && (
        <p>
          <Button onClick={() => edit({ config: null })}>Keep the old one</Button>
        </p>
      )}
    </>
  );
}
