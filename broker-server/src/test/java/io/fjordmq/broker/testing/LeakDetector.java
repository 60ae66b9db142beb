package io.fjordmq.broker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Fails a test class that leaves buffers unreleased. Registered as a listener of the test session
 * too, because netty asks for its detector when its first buffer is made.
 */
public final class LeakDetector implements LauncherSessionListener, AfterAllCallback {
  private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new RecordingDetector<>(resource, samplingInterval);
          }
        });
  }

  @Override
  public void afterAll(ExtensionContext context) {
    assertThat(leaks()).as("buffers that were not released").isEmpty();
  }

  /** The leaks so far; netty reports an unreachable buffer when the next one is allocated. */
  public static List<String> leaks() {
    for (int i = 0; i < 3; i++) {
      System.gc();
      ByteBufAllocator.DEFAULT.directBuffer(16).release();
    }
    return LEAKS;
  }

  private static final class RecordingDetector<T> extends ResourceLeakDetector<T> {
    RecordingDetector(Class<?> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      LEAKS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      LEAKS.add(resourceType);
    }
  }
}
