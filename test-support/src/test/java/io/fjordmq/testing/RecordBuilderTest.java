package io.fjordmq.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordBuilderTest {
  private static final Limits DEFAULTS = new Limits(1, 2, Duration.ofSeconds(3), "none");

  private record Limits(int count, long bytes, Duration pause, @Nullable String name) {
    Limits {
      if (count < 0) {
        throw new IllegalArgumentException("count must be at least 0: " + count);
      }
    }
  }

  @Test
  void shouldChangeOnlyTheNamedComponents() {
    Limits changed =
        RecordBuilder.from(DEFAULTS)
            .with(Limits::bytes, 20L)
            .with(Limits::pause, Duration.ZERO)
            .build();
    assertThat(changed).isEqualTo(new Limits(1, 20, Duration.ZERO, "none"));
    assertThat(DEFAULTS.bytes()).isEqualTo(2);
  }

  @Test
  void shouldAcceptNullAndNumbersOfANarrowerType() {
    assertThat(RecordBuilder.from(DEFAULTS).with(Limits::bytes, 20).with("name", null).build())
        .isEqualTo(new Limits(1, 20, Duration.ofSeconds(3), null));
  }

  @Test
  void shouldRequireEveryComponentWhenBuildingFromScratch() {
    RecordBuilder<Limits> builder =
        RecordBuilder.of(Limits.class)
            .with(Limits::count, 1)
            .with(Limits::bytes, 2)
            .with("name", null);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Limits needs a value for pause");
    assertThat(builder.with(Limits::pause, Duration.ZERO).build())
        .isEqualTo(new Limits(1, 2, Duration.ZERO, null));
  }

  @Test
  void shouldFindComponentsByName() {
    assertThat(RecordBuilder.from(DEFAULTS).with("count", 4).build().count()).isEqualTo(4);
    assertThatThrownBy(() -> RecordBuilder.from(DEFAULTS).with("size", 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Limits has no component size");
  }

  @Test
  void shouldRethrowExceptionsOfTheConstructor() {
    RecordBuilder<Limits> builder = RecordBuilder.from(DEFAULTS).with(Limits::count, -1);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count must be at least 0: -1");
  }
}
