package io.fjordmq.broker.house.violation;

import com.alipay.sofa.jraft.entity.PeerId;
import io.fjordmq.testing.Await;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import org.eclipse.jetty.server.Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uses libraries outside of the packages that wrap them and test support, and names its logger as
 * it likes.
 */
public final class LibraryLeak {
  private static final Logger journal = LoggerFactory.getLogger(LibraryLeak.class);

  private LibraryLeak() {}

  /** Depends on Raft, gRPC, HTTP, JSON and tracing libraries, and on test support. */
  public static void leak(PeerId peer, Status status, Server server, JsonMapper json, Span span) {
    Await.pause();
    journal.debug("{} {} {} {} {}", peer, status, server, json, span);
  }
}
