<?php // Needs the extensions sodium and apcu.
function verify_call(string $site, string $publicUrl): string {
    $head = fn(string $name) => $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
    $body = file_get_contents('php://input');
    // PHP reads forms by itself, and leaves nothing of them here.
    if ($body === '' && (int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > 0) throw new Exception('altered body');
    $names = ['@method', '@target-uri', 'x-service-run-id', 'x-service-scheduled-for', 'content-digest', 'signature-agent'];
    $covered = array_filter($names, fn($name) => $body !== '' || $name !== 'content-digest');
    $list = '("' . implode('" "', $covered) . '")';
    $rest = ';created=(\d+);expires=(\d+);nonce="([^"]+)";keyid="([^"]+)";tag="web-bot-auth"';
    $form = '/^sig1=(' . preg_quote($list, '/') . $rest . ')$/D';
    if (!preg_match($form, $head('signature-input'), $found)
        || !preg_match('/^sig1=:(.+):$/D', $head('signature'), $signature)) throw new Exception('not signed as it should be');
    [, $params, $created, $expires, $nonce, $kid] = $found;
    $values = ['@method' => $_SERVER['REQUEST_METHOD'], '@target-uri' => $publicUrl . $_SERVER['REQUEST_URI']];
    $base = '';
    foreach ($covered as $name) $base .= "\"$name\": " . ($values[$name] ?? $head($name)) . "\n";
    $base .= "\"@signature-params\": $params";
    // Keep the keys for 5 minutes in a real program.
    $set = json_decode(file_get_contents("$site/.well-known/http-message-signatures-directory"), true);
    $key = array_column($set['keys'], 'x', 'kid')[$kid] ?? throw new Exception('unknown key');
    $raw = base64_decode(strtr($key, '-_', '+/'));
    $given = base64_decode($signature[1], true);
    if ($given === false || strlen($given) !== 64
        || !sodium_crypto_sign_verify_detached($given, $base, $raw)) throw new Exception('altered');
    if (time() > $expires + 30 || time() < $created - 30) throw new Exception('expired');
    if ($head('signature-agent') !== "\"$site\"") throw new Exception('another site');
    $digest = 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':';
    if ($body !== '' && $head('content-digest') !== $digest) throw new Exception('altered body');
    if (!apcu_add("jobd-$nonce", 1, $expires + 30 - time() + 1)) throw new Exception('replayed');
    return $head('x-service-run-id');
}

try {
    echo 'run ' . verify_call(getenv('JOBD_URL'), getenv('PUBLIC_URL'));
} catch (Exception $error) {
    http_response_code(401);
    echo $error->getMessage();
}
