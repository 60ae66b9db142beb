package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.Certs;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {
  @TempDir Path folder;
  private Instant now = Instant.now();

  @Test
  void shouldUseANewCertificateOnceItIsValid() {
    Certs certs = new Certs(folder);
    try (ServerTls tls =
        ServerTls.open(
            "mqttServerConfig.tlsListener", certs.settings(), TlsLibrary.best(), () -> now)) {
      Instant tomorrow = now.plus(Duration.ofDays(1));
      X509Bundle next = certs.serverFrom(tomorrow);
      certs.certificate("server", next);
      certs.key("server", next);
      assertThat(tls.reloadIfChanged()).isFalse();
      assertThat(tls.reloadIfChanged()).as("reported once").isNull();
      assertThat(tls.status().rejection()).contains("not valid before");
      assertThat(tls.status().user()).isEqualTo("mqttServerConfig.tlsListener");
      now = tomorrow.plusSeconds(1);
      assertThat(tls.reloadIfChanged()).isTrue();
      assertThat(tls.status().rejection()).isNull();
      assertThat(tls.status().expiresAt()).isEqualTo(tls.expiresAt());
      assertThat(tls.expiresAt()).isEqualTo(next.getCertificate().getNotAfter().toInstant());
      assertThat(tls.reloadIfChanged()).isNull();
    }
  }
}
