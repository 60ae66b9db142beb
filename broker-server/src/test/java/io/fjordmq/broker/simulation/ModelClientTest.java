package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A model client with nodes simulated by the test; several seeds, because they draw the wills. */
class ModelClientTest {
  private static final long TIMEOUT_MILLIS = 10_000;
  private static final long EXPIRY_SECONDS = 2;

  /**
   * A node that was slow may carry out the CONNECT that the client has given up after the one that
   * was accepted, and so cancel the will of that one. This also applies if the client leaves as
   * soon as it is accepted, because it cannot know whose session it found.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldNotExpectTheWillOfAConnectionAbandonedInDoubt(long seed) {
    Fixture play = new Fixture(seed, true);
    play.accept(play.next(), false).closeFromServer();
    play.next(); // gives it up
    play.accept(play.next(), true); // after the expiry: in doubt
    play.accept(play.next(), false);
    play.assertNoWrongWills();
  }

  /** The same CONNECT may even be carried out after two that were accepted. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldNotExpectWillsWhileAnAbandonedConnectMayStillBeProcessed(long seed) {
    Fixture play = new Fixture(seed, true);
    play.next(); // gives it up
    play.accept(play.next(), false).closeFromServer();
    play.accept(play.next(), true).closeFromServer();
    SimLink last = play.next();
    play.simulation.run(EXPIRY_SECONDS * 1_000);
    play.accept(last, false);
    play.assertNoWrongWills();
  }

  /** With nothing on its way, a client knows that a will whose session has ended is published. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void shouldExpectTheWillOfASessionThatEnded(long seed) {
    Fixture play = new Fixture(seed, false);
    SimLink lost = play.accept(play.next(), false);
    lost.closeFromServer();
    SimLink last = play.next();
    play.simulation.run(EXPIRY_SECONDS * 1_000);
    play.accept(last, false);
    assertThat(play.wrongWills()).singleElement().asString().contains(lost.name() + ":");
  }

  /** One client, all of whose connections have wills, and no broker. */
  private static final class Fixture {
    final Simulation simulation;
    private final Ledger ledger;
    private final List<SimLink> links = new ArrayList<>();
    private final ModelClient client;
    private int taken;

    /**
     * @param excusesClients wills without a delay wait, too
     */
    Fixture(long seed, boolean excusesClients) {
      simulation = new Simulation(seed);
      ledger = new Ledger(seed, false);
      ledger.setManyNodes();
      ledger.setExcusesClients(excusesClients);
      Brokers brokers =
          new Brokers() {
            @Override
            public Acceptor acceptor() {
              return links::add;
            }

            @Override
            public Moment now() {
              return new Moment(simulation.now(), 0, 0);
            }
          };
      ClientProfile who = ClientProfile.withShortExpiry("brief", EXPIRY_SECONDS);
      client = new ModelClient(simulation, who, ledger, brokers, List.of(), List.of());
      client.setWillPercent(100);
      client.stopRandomActivity();
    }

    /** The client's next connection. */
    SimLink next() {
      int wanted = taken++;
      simulation.runUntil("the client connects", () -> links.size() > wanted, TIMEOUT_MILLIS);
      return links.get(wanted);
    }

    /** Answers with a CONNACK, and returns once the client has it. */
    SimLink accept(SimLink link, boolean present) {
      link.sendFromServer(new byte[] {0x20, 3, (byte) (present ? 1 : 0), 0, 0});
      simulation.run(200);
      return link;
    }

    List<String> wrongWills() {
      return ledger.wrongWills(
          ledger.newSession("witness", true), new Moment(simulation.now(), 0, 0));
    }

    void assertNoWrongWills() {
      assertThat(client.isIdle()).isTrue();
      assertThat(wrongWills()).isEmpty();
    }
  }
}
