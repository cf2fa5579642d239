<?php
// Mails a shop's customers: when their order has come, and when it was shipped. Beside receiver.php, with PHPMailer:
//
//   composer require phpmailer/phpmailer
//   WEBHOOK_KEYS="whsec_…" BASE="https://…" TOKEN="esk_…" SMTP="smtps://user:password@mail.example.com"
//     FROM="shop@example.com" MAILED=mailed php -S 127.0.0.1:8090 mail.php
//
// TOKEN needs orders:read and shop:read. Register this address for orderChange. MAILED is the folder that keeps what was mailed: in no
// folder that a server shows.
require __DIR__ . '/receiver.php';
require __DIR__ . '/vendor/autoload.php';

// The texts of each mail, in the shop's language.
const TEXTS = [
    'cs' => ['confirmed' => ['Objednávka %s přijata', 'děkujeme za objednávku %s.'],
        'shipped' => ['Objednávka %s je na cestě', 'objednávku %s jsme odeslali.'],
        'hello' => 'Dobrý den,', 'total' => 'Celkem', 'track' => 'Zásilka'],
    'sk' => ['confirmed' => ['Objednávka %s prijatá', 'ďakujeme za objednávku %s.'],
        'shipped' => ['Objednávka %s je na ceste', 'objednávku %s sme odoslali.'],
        'hello' => 'Dobrý deň,', 'total' => 'Spolu', 'track' => 'Zásielka'],
];

// get is a record of the shop; null if it is gone.
function get(string $path): ?object
{
    $http = ['header' => ['Authorization: Bearer ' . getenv('TOKEN'), 'Api-Version: 2027-01-01'], 'timeout' => 4,
        'ignore_errors' => true];
    $answer = fopen(getenv('BASE') . '/api-engine' . $path, 'r', false, stream_context_create(['http' => $http]));
    $status = (int) explode(' ', stream_get_meta_data($answer)['wrapper_data'][0])[1];
    $text = stream_get_contents($answer);
    return match ($status) {
        200 => json_decode($text, flags: JSON_THROW_ON_ERROR),
        404 => null,
        default => throw new Exception("$path: $status $text"),
    };
}

// mail sends one of the mails about an order, unless that was done. Each mail has a file, in which something is written
// once the server has taken the mail: who is ended in between sends it twice, with the same Message-ID. Yours belong
// into your database, with a unique index.
function mail_once(string $which, object $order): void
{
    $folder = getenv('MAILED') ?: __DIR__ . '/mailed';
    is_dir($folder) || mkdir($folder, 0700, true);
    $file = fopen("$folder/{$order->id}.$which", 'c');
    flock($file, LOCK_EX); // nobody else mails this one meanwhile
    if (fstat($file)['size'] > 0) {
        return;
    }
    $shop = get('/shop');
    $text = TEXTS[substr($shop->locale, 0, 2)] ?? TEXTS['cs'];
    [$subject, $says] = array_map(fn($t) => sprintf($t, $order->number), $text[$which]);
    $lines = [$text['hello'], '', $says, ''];
    foreach ($order->items as $i) {
        $lines[] = "$i->quantity × " . implode(', ', array_filter([$i->name, $i->variantName ?? ''])) . ": $i->total";
    }
    $lines[] = "{$text['total']}: {$order->totals->total} $order->currency";
    $sent = $order->orderDeliveryPayment;
    if ($which === 'shipped' && $sent->trackingNumber) {
        array_push($lines, '', "{$text['track']}: $sent->trackingNumber $sent->trackingLink");
    }
    $smtp = parse_url(getenv('SMTP'));
    $mail = new PHPMailer\PHPMailer\PHPMailer(true); // true: it throws
    $mail->isSMTP();
    [$mail->Host, $mail->CharSet, $mail->Timeout] = [$smtp['host'], 'UTF-8', 4];
    $mail->SMTPSecure = $smtp['scheme'] === 'smtps' ? 'ssl' : ''; // without it STARTTLS where the server has it
    $mail->Port = $smtp['port'] ?? ($smtp['scheme'] === 'smtps' ? 465 : 587);
    if ($mail->SMTPAuth = isset($smtp['user'])) {
        [$mail->Username, $mail->Password] = [urldecode($smtp['user']), urldecode($smtp['pass'])];
    }
    $mail->setFrom(getenv('FROM'), $shop->name);
    $mail->addAddress($order->email);
    [$mail->Subject, $mail->Body] = [$subject, implode("\n", [...$lines, '', $shop->name])];
    $mail->MessageID = "<{$order->id}.$which@" . parse_url(getenv('BASE'), PHP_URL_HOST) . '>';
    $mail->send();
    fwrite($file, 'mailed');
}

// take does what a webhook says. The state is read and not remembered, so an order that moved on meanwhile is told as it
// is now.
function take(object $hook, array $changed): void
{
    foreach ($hook->event === 'orderChange' ? $hook->data->orderIds : [] as $id) {
        $order = get("/orders/$id");
        if ($order && in_array('created', $changed)) {
            mail_once('confirmed', $order);
        }
        if ($order && in_array('state', $changed) && (get("/order-states/$order->stateId")->key ?? '') === 'shipped') {
            mail_once('shipped', $order);
        }
    }
}

set_error_handler(fn(int $kind, string $text) => throw new ErrorException($text));
try {
    $body = file_get_contents('php://input', false, null, 0, 1 << 20); // the raw bytes, never parsed and written anew
    [$stamp, $given] = [$_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '', $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? ''];
    if (!Webhooks\genuine(getenv('WEBHOOK_KEYS') ?: '', $stamp, $given, $body)) {
        http_response_code(401);
        exit('not signed by the platform');
    }
    $hook = json_decode($body, flags: JSON_THROW_ON_ERROR);
    if ($hook->event === 'ping') {
        exit($hook->data->nonce); // proves that this address is yours
    }
    take($hook, explode(',', $_SERVER['HTTP_X_WEBHOOK_CHANGED'] ?? ''));
    http_response_code(204);
} catch (Throwable $error) {
    error_log($error->getMessage()); // the webhook comes again
    http_response_code(500);
}
