package io.fjordmq.broker.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives test classes the port of one broker that all of them share; each test uses client
 * identifiers and topics of its own. Parameters of type {@link Port} are resolved.
 */
final class SharedBroker implements BeforeAllCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedBroker.class);

  /** Where the shared broker listens on 127.0.0.1. */
  record Port(int number) {}

  private record RunningBroker(BrokerUnderTest broker) implements AutoCloseable {
    @Override
    public void close() {
      broker.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    port(context);
  }

  private static Port port(ExtensionContext context) {
    Integer given = Integer.getInteger("fjordmq.test.broker");
    if (given != null) {
      return new Port(given);
    }
    RunningBroker started =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(RunningBroker.class, key -> start(), RunningBroker.class);
    return new Port(started.broker().port());
  }

  private static RunningBroker start() {
    try {
      Path directory = Files.createTempDirectory("fjordmq-shared-broker");
      return new RunningBroker(BrokerUnderTest.startIn(directory));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Port.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return port(context);
  }
}
