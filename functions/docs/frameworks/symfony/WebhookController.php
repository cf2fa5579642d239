<?php
// A receiver of webhooks in Symfony, 6.4 or later: src/Controller/WebhookController.php. WEBHOOK_KEYS can stand in
// .env.local, and composer.json loads receiver.php: "autoload": {"files": ["receiver.php"]}

namespace App\Controller;

use Symfony\Component\DependencyInjection\Attribute\Autowire;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Attribute\AsController;
use Symfony\Component\Routing\Attribute\Route;
use function Webhooks\receive;

#[AsController]
final class WebhookController
{
    #[Route('/hooks', methods: ['POST'])]
    public function __invoke(Request $request, #[Autowire(env: 'WEBHOOK_KEYS')] string $keys): Response
    {
        [$status, $text] = receive(
            $keys,
            $request->headers->get('X-Webhook-Timestamp', ''),
            $request->headers->get('X-Webhook-Signature', ''),
            $request->getContent(), // the raw bytes, not what getPayload() or toArray() give
        );
        return new Response($text, $status, ['Content-Type' => 'text/plain']);
    }
}
