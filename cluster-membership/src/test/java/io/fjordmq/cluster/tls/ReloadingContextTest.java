package io.fjordmq.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadingContextTest {
  private final EventExecutorGroup executor = new DefaultEventExecutorGroup(1);
  private @Nullable String fault;
  private int builds;

  @AfterEach
  void stopExecutor() {
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Test
  void shouldRetryReadingChangedFiles(@TempDir Path folder) throws Exception {
    ClusterTls files = new TestAuthority(folder).node("n1");
    ReloadingContext context =
        ReloadingContext.open("connections", files, () -> build(files), executor);
    context.reloadIfChanged();
    assertThat(builds).isOne();
    Files.writeString(files.trustFile(), Files.readString(files.trustFile()) + "\n");
    fault = "Too many open files";
    context.reloadIfChanged();
    assertThat(builds).as("the previous contents stay in effect").isOne();
    fault = null;
    context.reloadIfChanged();
    context.reloadIfChanged();
    assertThat(builds).isEqualTo(2);
  }

  private SslContext build(ClusterTls files) throws IOException {
    if (fault != null) {
      throw new IOException(fault);
    }
    builds++;
    return files.clientContext().build();
  }
}
