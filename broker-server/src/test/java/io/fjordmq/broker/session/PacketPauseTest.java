package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Packets wait as long as there is one reason for it, and nothing that waits is lost. */
class PacketPauseTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ReadGate gate = new ReadGate(channel, new SessionObserver() {}, () -> {});
  private final PausedClients clients = new PausedClients(this::refusedBecause);
  private final PacketPause pause = new PacketPause(channel.eventLoop(), gate, clients);
  private final List<String> done = new ArrayList<>();
  private @Nullable String refusedBecause;

  private @Nullable String refusedBecause() {
    return refusedBecause;
  }

  private void renewLease() {
    refusedBecause = null;
    clients.release();
    channel.runPendingTasks();
  }

  @Test
  void shouldWaitForEveryAuthorization() {
    pause.beginAuthorization();
    pause.beginAuthorization();
    pause.endAuthorization();
    assertThat(pause.mustWait()).isTrue();
    assertThat(gate.isClosedBy(ReadGate.PAUSED)).isTrue();
    pause.endAuthorization();
    assertThat(pause.mustWait()).isFalse();
    assertThat(gate.isClosed()).isFalse();
  }

  @Test
  void shouldTellSlicesFromAuthorizations() {
    pause.beginSlices();
    assertThat(pause.isBetweenSlices()).isTrue();
    pause.beginAuthorization();
    assertThat(pause.isBetweenSlices()).isFalse();
    pause.endSlices();
    assertThat(pause.mustWait()).isTrue();
  }

  @Test
  void shouldHandleHeldPacketsOnceTheLeaseIsRenewed() {
    pause.onResume(() -> done.add("packets"));
    refusedBecause = "lease expired";
    pause.whenServed(() -> done.add("first"));
    pause.whenServed(() -> done.add("second"));
    assertThat(pause.mustWait()).isTrue();
    assertThat(gate.isClosedBy(ReadGate.LEASE)).isTrue();
    assertThat(done).isEmpty();
    renewLease();
    assertThat(done).containsExactly("first", "second", "packets");
    assertThat(gate.isClosed()).isFalse();
  }

  @Test
  void shouldKeepWhatWaitsIfTheLeaseExpiresAgain() {
    refusedBecause = "lease expired";
    pause.whenServed(
        () -> {
          done.add("first");
          refusedBecause = "lease expired again";
        });
    pause.whenServed(() -> done.add("second"));
    renewLease();
    assertThat(done).containsExactly("first");
    renewLease();
    assertThat(done).containsExactly("first", "second");
  }

  @Test
  void shouldReleaseHeldPacketsWhenTheSessionEndsButRunNoAction() {
    pause.onResume(() -> done.add("packets"));
    refusedBecause = "lease expired";
    pause.whenServed(() -> done.add("action"));
    pause.end();
    channel.runPendingTasks();
    renewLease();
    assertThat(done).containsExactly("packets");
  }
}
