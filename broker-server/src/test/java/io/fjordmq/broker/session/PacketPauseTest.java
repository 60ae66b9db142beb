package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Packets wait as long as one reason applies, and no waiting packet is lost. */
class PacketPauseTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ReadGate gate = new ReadGate(channel, new SessionObserver() {}, () -> {});
  private final PausedClients clients = new PausedClients(this::refusalReason);
  private final PacketPause pause = new PacketPause(channel.eventLoop(), gate, clients);
  private final List<String> actions = new ArrayList<>();
  private @Nullable String refusalReason;

  private @Nullable String refusalReason() {
    return refusalReason;
  }

  private void renewLease() {
    refusalReason = null;
    clients.resumeAll();
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
  void shouldDistinguishSlicesFromAuthorizations() {
    pause.beginSlices();
    assertThat(pause.isBetweenSlices()).isTrue();
    pause.beginAuthorization();
    assertThat(pause.isBetweenSlices()).isFalse();
    pause.endSlices();
    assertThat(pause.mustWait()).isTrue();
  }

  @Test
  void shouldHandleHeldPacketsOnceTheLeaseIsRenewed() {
    pause.setListener(() -> actions.add("packets"));
    refusalReason = "lease expired";
    pause.whenLeaseValid(() -> actions.add("first"));
    pause.whenLeaseValid(() -> actions.add("second"));
    assertThat(pause.mustWait()).isTrue();
    assertThat(gate.isClosedBy(ReadGate.LEASE)).isTrue();
    assertThat(actions).isEmpty();
    renewLease();
    assertThat(actions).containsExactly("first", "second", "packets");
    assertThat(gate.isClosed()).isFalse();
  }

  @Test
  void shouldKeepHeldPacketsIfTheLeaseExpiresAgain() {
    refusalReason = "lease expired";
    pause.whenLeaseValid(
        () -> {
          actions.add("first");
          refusalReason = "lease expired again";
        });
    pause.whenLeaseValid(() -> actions.add("second"));
    renewLease();
    assertThat(actions).containsExactly("first");
    renewLease();
    assertThat(actions).containsExactly("first", "second");
  }

  @Test
  void shouldReleaseHeldPacketsWhenTheSessionEndsButRunNoAction() {
    pause.setListener(() -> actions.add("packets"));
    refusalReason = "lease expired";
    pause.whenLeaseValid(() -> actions.add("action"));
    pause.end();
    channel.runPendingTasks();
    renewLease();
    assertThat(actions).containsExactly("packets");
  }
}
