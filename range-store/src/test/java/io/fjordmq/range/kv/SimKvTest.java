package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SimKvTest extends KvContract {
  private final SimKv.Disk disk = new SimKv.Disk();

  @Override
  Kv open() {
    return new SimKv(disk, Runnable::run);
  }

  @Override
  Kv openCrashImage() {
    disk.crash(unflushed -> unflushed / 2);
    return new SimKv(disk, Runnable::run);
  }

  @Test
  void shouldLoseUnflushedWritesInACrash() {
    write("a", "1");
    disk.crash(unflushed -> 0);
    assertThat(scan(kv().space("words").latest(), "", null)).isEmpty();
  }

  @Test
  void shouldFailOnRequestAndRecover() {
    disk.failWith(new KvException(KvException.Kind.DISK_FULL, "full"));
    assertThatThrownBy(() -> write("a", "1")).hasMessage("full");
    assertThatThrownBy(() -> kv().flush().join()).hasRootCauseMessage("full");
    disk.failWith(null);
    write("a", "1");
    assertThat(kv().flush()).isCompleted();
  }
}
