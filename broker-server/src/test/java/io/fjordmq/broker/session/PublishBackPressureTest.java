package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.Settings;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reading pauses at the limit and resumes once the load has fallen to half of it. */
class PublishBackPressureTest {
  private static final int MAX = 4;

  private final List<Limit> reachedLimits = new ArrayList<>();
  private int wakeUps;
  private final Client client = new Client();
  private final PublishBackPressure pressure = new PublishBackPressure(client, client);

  private final class Client implements PublishBackPressure.Client, PendingPublish.Owner {
    private final SessionSettings settings = Settings.with("maxPendingPublishes", MAX);
    private final ReadGate gate =
        new ReadGate(new EmbeddedChannel(), new SessionObserver() {}, () -> {});

    @Override
    public SessionSettings settings() {
      return settings;
    }

    @Override
    public ReadGate gate() {
      return gate;
    }

    @Override
    public void recordLimitReached(Limit limit) {
      reachedLimits.add(limit);
    }

    @Override
    public void park(PendingPublish entry) {
      throw new AssertionError("QoS 0 messages are not parked");
    }

    @Override
    public void onOutcome(PendingPublish entry, PublishOutcome outcome) {
      throw new AssertionError("QoS 0 messages have no entry");
    }

    @Override
    public void wake() {
      wakeUps++;
    }
  }

  private void publishAtMostOnce(int payloadBytes) {
    pressure.closeIfAtMostOnceLimitReached(pressure.beginAtMostOnce(), payloadBytes);
  }

  @Test
  void shouldPauseAndResumeReadingByMessageCount() {
    assertThat(pressure.closeIfLimitReached(MAX - 1, 0)).isFalse();
    assertThat(pressure.closeIfLimitReached(MAX, 0)).isTrue();
    assertThat(pressure.closeIfLimitReached(MAX + 1, 0)).isTrue();
    assertThat(reachedLimits).containsExactly(Limit.PENDING_PUBLISHES); // counted once
    pressure.openIfHalfEmpty(MAX / 2 + 1, 0);
    assertThat(client.gate.isClosedBy(ReadGate.PUBLISHES)).isTrue();
    pressure.openIfHalfEmpty(MAX / 2, 0);
    assertThat(client.gate.isClosed()).isFalse();
  }

  @Test
  void shouldPauseReadingByBytes() {
    assertThat(pressure.closeIfLimitReached(1, client.settings.maxPendingBytes())).isTrue();
    assertThat(reachedLimits).containsExactly(Limit.PENDING_BYTES);
    pressure.openIfHalfEmpty(0, client.settings.maxPendingBytes() / 2 + 1);
    assertThat(client.gate.isClosed()).isTrue();
  }

  @Test
  void shouldCountMessagesWithoutAcknowledgement() {
    for (int i = 0; i < MAX; i++) {
      publishAtMostOnce(1);
    }
    assertThat(client.gate.isClosedBy(ReadGate.PUBLISHES)).isTrue();
    pressure.onPublished(PublishOutcome.ACCEPTED);
    pressure.openIfHalfEmpty(0, 0);
    assertThat(client.gate.isClosed()).isTrue();
    assertThat(wakeUps).isZero();
    pressure.onPublished(PublishOutcome.ACCEPTED);
    assertThat(wakeUps).isEqualTo(1);
    pressure.openIfHalfEmpty(0, 0);
    assertThat(client.gate.isClosed()).isFalse();
  }

  @Test
  void shouldNotPauseReadingForASingleMessageWithoutAcknowledgement() {
    publishAtMostOnce(client.settings.maxPendingBytes() + 1);
    assertThat(client.gate.isClosed()).isFalse();
  }
}
