package io.fjordmq.broker.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * Any conversation of up to {@value #CLIENTS} clients of all versions: every packet with every
 * field chosen, in any order, bytes that are not a packet, connections that break, stores that do
 * not respond for a while, time that passes. Clients must receive valid packets, and all resources
 * must be released at the end.
 *
 * <p>Input: actions, each a byte of {@link Action} and the choices it makes.
 */
public final class SessionFuzz {
  static final int CLIENTS = 4;

  private SessionFuzz() {}

  /** The fuzzer's entry. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    try (FuzzedBroker fuzzed = new FuzzedBroker()) {
      List<FuzzedClient> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new FuzzedClient(fuzzed.broker()));
      }
      while (choices.hasMore()) {
        Action action = choices.oneOf(Action.ALL);
        action.perform(fuzzed.broker(), choices.oneOf(clients), choices);
        clients.forEach(FuzzedClient::read);
      }
      fuzzed.broker().resume();
      clients.forEach(FuzzedClient::read);
    }
  }
}
