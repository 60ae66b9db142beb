package io.fjordmq.broker.providers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ResultCacheTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // wraps around
  private final ResultCache<String> cache = new ResultCache<>(3, nanos::get);

  private void put(String key, String result, boolean positive, long time) {
    cache.put(cache.slot(key), result, positive, time);
  }

  @Test
  void shouldForgetResultsAfterTheirTime() {
    put("a", "yes", true, 10);
    put("b", "no", false, 20);
    put("c", "never", true, 0);
    assertThat(cache.find(cache.slot("a"))).isEqualTo("yes");
    assertThat(cache.find(cache.slot("c"))).isNull();
    nanos.addAndGet(10);
    assertThat(cache.find(cache.slot("a"))).isNull();
    assertThat(cache.find(cache.slot("b"))).isEqualTo("no");
  }

  @Test
  void shouldNotLetGuessesEvictValidResults() {
    put("valid", "yes", true, 1_000);
    for (int i = 0; i < 100; i++) {
      put("guess" + i, "no", false, 1_000);
    }
    assertThat(cache.find(cache.slot("valid"))).isEqualTo("yes");
    assertThat(cache.size()).isEqualTo(4);
  }

  @Test
  void shouldReplaceAResultOfTheOtherKind() {
    put("a", "no", false, 1_000);
    put("a", "yes", true, 1_000);
    assertThat(cache.find(cache.slot("a"))).isEqualTo("yes");
    put("a", "no", false, 1_000);
    assertThat(cache.find(cache.slot("a"))).isEqualTo("no");
  }

  @Test
  void shouldIgnoreResultsThatWereRequestedBeforeItWasCleared() {
    ResultCache.Slot before = cache.slot("a");
    put("b", "yes", true, 1_000);
    cache.clear();
    cache.put(before, "stale", true, 1_000);
    assertThat(cache.size()).isZero();
    put("a", "fresh", true, 1_000);
    assertThat(cache.find(cache.slot("a"))).isEqualTo("fresh");
  }
}
