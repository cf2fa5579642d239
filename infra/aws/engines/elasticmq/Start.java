import org.elasticmq.rest.sqs.SQSRestServerBuilder;

/**
 * Starts ElasticMQ, with SQS's own limits, on a free port of the loopback address, prints the port, and ends when its
 * standard input does: with whoever started it, however that one ended.
 */
public class Start {
  public static void main(String[] args) throws Exception {
    int port = SQSRestServerBuilder.withInterface("127.0.0.1").withDynamicPort().start().waitUntilStarted()
        .localAddress().getPort();
    System.out.println("port " + port);
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }
}
