package io.fjordmq.perf.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.RefusedException;
import io.fjordmq.perf.load.ResultMetric;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which outcomes of logins are faults. The service is down from second 10 to 20. */
class LoginLogTest {
  private static final LoginLog.Outage OUTAGE =
      new LoginLog.Outage(seconds(10), seconds(11), seconds(20), seconds(21));

  private final LoginLog log = new LoginLog("CONNACK 0x88");

  private static long seconds(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  private static RefusedException unavailable() {
    return new RefusedException("CONNACK 0x88");
  }

  private LoginLogTest login(double second, @Nullable Throwable error) {
    log.record(seconds(second), seconds(second + 0.1), error);
    return this;
  }

  private Measurement verdict() {
    Measurement measurement = new Measurement();
    log.addTo(measurement, OUTAGE);
    return measurement;
  }

  @Test
  void shouldAcceptRefusalsDuringTheOutageOnly() {
    login(1, null)
        .login(12, unavailable())
        .login(21.5, unavailable())
        .login(23, null)
        .login(24, null);
    Measurement verdict = verdict();
    assertThat(verdict.faultLines()).isEmpty();
    assertThat(verdict.figures().get(ResultMetric.RECOVERY_SECONDS)).isEqualTo(2.1);
    assertThat(log.summary()).isEqualTo("2 of 5 new clients were refused with CONNACK 0x88");
  }

  @Test
  void shouldAcceptEitherOutcomeWhileTheServiceStops() {
    login(9.95, unavailable()).login(10.5, null).login(12, unavailable()).login(22, null);
    assertThat(verdict().faultLines()).isEmpty();
  }

  @Test
  void shouldReportWrongOutcomes() {
    login(1, unavailable())
        .login(12, new RefusedException("CONNACK 0x86"))
        .login(13, unavailable())
        .login(21.2, new IllegalStateException("connection closed by the broker"))
        .login(22, null)
        .login(23, unavailable());
    assertThat(verdict().faultLines())
        .containsExactlyInAnyOrder(
            "1 × new client: CONNACK 0x88 before the outage",
            "1 × new client: CONNACK 0x86 during the outage",
            "1 × new client: java.lang.IllegalStateException: connection closed by the broker"
                + " around the outage",
            "1 × new client: CONNACK 0x88 after the outage");
  }

  @Test
  void shouldReportThatClientsWereAdmittedDuringTheOutage() {
    login(12, null).login(13, null);
    assertThat(verdict().faultLines())
        .contains(
            "2 × new client: accepted during the outage",
            "no new client was refused during the outage");
  }

  @Test
  void shouldReportThatNobodyWasAcceptedAfterTheOutage() {
    login(12, unavailable()).login(22, unavailable());
    assertThat(verdict().faultLines())
        .containsExactly("no new client was accepted after the outage");
  }
}
