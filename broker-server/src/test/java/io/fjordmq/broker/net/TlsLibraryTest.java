package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.Certs;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsLibraryTest {
  private static final ListenerSettings PLAIN = ListenerSettings.tcp("127.0.0.1", 0);

  @Test
  void isNotLoadedWithoutTls() {
    assertThat(TlsLibrary.bestFor(List.of(PLAIN, PLAIN))).isEqualTo(TlsLibrary.JDK);
  }

  @Test
  void isTheBestIfOneListenerUsesTls(@TempDir Path folder) {
    ListenerSettings tls = OpenListener.tls(new Certs(folder).settings());
    assertThat(TlsLibrary.bestFor(List.of(PLAIN, tls))).isEqualTo(TlsLibrary.best());
  }
}
