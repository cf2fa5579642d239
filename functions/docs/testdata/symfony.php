<?php
// Serves the controller in the root folder by Symfony's own kernel and router. Composer would load the two files, and
// a Symfony application read the controller's attributes: here the route and the argument are given.
use App\Controller\WebhookController;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpKernel\Controller\ControllerResolver;
use Symfony\Component\HttpKernel\EventListener\RouterListener;
use Symfony\Component\HttpKernel\HttpKernel;
use Symfony\Component\Routing\Matcher\UrlMatcher;
use Symfony\Component\Routing\RequestContext;
use Symfony\Component\Routing\Route;
use Symfony\Component\Routing\RouteCollection;

require 'Symfony/Component/HttpKernel/autoload.php';
require 'Symfony/Component/Routing/autoload.php';
require $_SERVER['DOCUMENT_ROOT'] . '/receiver.php';
require $_SERVER['DOCUMENT_ROOT'] . '/WebhookController.php';

$routes = new RouteCollection();
$routes->add('hooks', new Route('/hooks', ['_controller' => WebhookController::class,
    'keys' => getenv('WEBHOOK_KEYS')], methods: ['POST']));
$requests = new RequestStack();
$dispatcher = new EventDispatcher();
$dispatcher->addSubscriber(new RouterListener(new UrlMatcher($routes, new RequestContext()), $requests));
$kernel = new HttpKernel($dispatcher, new ControllerResolver(), $requests);
$kernel->handle(Request::createFromGlobals())->send();
