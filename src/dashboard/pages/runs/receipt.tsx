/** The receipt of a run: to download, and to check in this browser. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useBusy } from '../../client/busy.ts';
import type { Run } from '../../../api/runs/contract.ts';
import { checkHere, forgetKeys, noteKeys, receiptAddress } from '../../client/receipt-check.ts';
import type { Check } from '../../client/receipt-check.ts';
import { Field } from '../../parts/forms/field.tsx';
import { Button, Note, Facts, Outside, Problem } from '../../parts/basic.tsx';
import { whyNoReceipt } from '../../view/run.ts';
import type { CheckedReceipt } from '../../view/receipt.ts';

/** The receipt, or why there is none. */
export function Receipt({ run }: { run: Run }) {
  const whyNot = whyNoReceipt(run);
  return (
    <section class="panel receipt">
      <h2>Receipt</h2>
      {whyNot === null ? <ReceiptCheck key={run.id} run={run} /> : <p class="quiet">{whyNot}</p>}
    </section>
  );
}

function ReceiptCheck({ run }: { run: Run }) {
  const [check, setCheck] = useState<Check | null>(null);
  const [isBusy, begin] = useBusy();
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => void noteKeys(), []);
  const start = (): Promise<void> =>
    begin(async () => setCheck(await checkHere(run, file.current?.files?.[0] ?? null)));
  const forget = (): void => {
    forgetKeys();
    void start();
  };
  return (
    <>
      <p class="quiet">
        Signed by this jobd. It proves what was observed: when the call was made and what came back,
        not what the application did.
      </p>
      <div class="stack">
        <p class="actions">
          <a class="button" href={receiptAddress(run)} download={`receipt-${run.id}.json`}>
            Download
          </a>
          <Button aria-disabled={isBusy} onClick={() => void start()}>
            Check in this browser
          </Button>
        </p>
        <Field
          label="With a key that you archived"
          hint="The file of /api/v1/receipts/key, a JSON Web Key or PEM. Without a file, it is checked with the key that this browser saw first."
        >
          {(control) => (
            <input
              {...control}
              ref={file}
              type="file"
              accept=".json,.pem,.txt"
              onChange={() => void start()}
            />
          )}
        </Field>
      </div>
      <div role="status">
        {check !== null &&
          ('problem' in check ? (
            <Problem text={check.problem} />
          ) : (
            <Result check={check} onForget={forget} />
          ))}
      </div>
    </>
  );
}

function Result({ check, onForget }: { check: CheckedReceipt; onForget: () => void }) {
  const { isValid, sentence, remarks, stated, isReplaced } = check;
  return (
    <div class="stack verdict">
      {isValid ? <Note status="success">{sentence}</Note> : <Problem text={sentence} />}
      {remarks.map((remark) => (
        <Note key={remark} status="late">
          {remark}
        </Note>
      ))}
      {isReplaced && (
        <p>
          <Button onClick={onForget}>Forget the old key and trust the new one</Button>
        </p>
      )}
      {stated.length > 0 && (
        <details>
          <summary>What it states</summary>
          <Facts
            of={Object.fromEntries(
              stated.map(([name, value]) => [
                name,
                <span key={name} class="figure">
                  <Outside text={value} />
                </span>,
              ]),
            )}
          />
        </details>
      )}
    </div>
  );
}
