package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Goal: stored routes remain readable, and every route has its own row. */
class RouteKeysTest {
  private static final HexFormat HEX = HexFormat.of();

  @Provide
  Arbitrary<Route> routes() {
    return Routes.routes();
  }

  @Property(tries = 500)
  void shouldReadStoredRoutes(@ForAll("routes") Route route) {
    assertThat(RouteRow.decode(RouteKeys.of(route), RouteRow.encode(route.options())))
        .isEqualTo(route);
  }

  @Property(tries = 500)
  void shouldEncodeDifferentRoutesToDifferentKeys(
      @ForAll("routes") Route one, @ForAll("routes") Route other) {
    boolean sameKey = Arrays.equals(RouteKeys.of(one), RouteKeys.of(other));
    assertThat(sameKey).isEqualTo(RouteId.of(one).equals(RouteId.of(other)));
  }

  @Test
  void shouldSpreadSimilarFiltersEvenly() {
    Integer[] parts = {0, 0, 0, 0};
    for (int i = 0; i < 4_000; i++) {
      byte[] key = RouteKeys.of(Routes.toInbox("devices/" + i + "/commands", "c"));
      parts[(key[0] & 0xFF) / 64]++;
    }
    assertThat(List.of(parts)).allSatisfy(count -> assertThat(count).isBetween(850, 1_150));
  }

  @Property(tries = 500)
  void shouldSplitOnlyBetweenFilters(@ForAll("routes") Route one, @ForAll("routes") Route other) {
    byte[] cut = RouteKeys.filterStart(RouteKeys.of(one));
    assertThat(RouteKeys.filterStart(cut)).isEqualTo(cut);
    assertThat(Arrays.compareUnsigned(cut, RouteKeys.of(one))).isNegative();
    Route moved = new Route(one.tenant(), one.filter(), other.receiver(), one.options());
    assertThat(Arrays.compareUnsigned(cut, RouteKeys.of(moved))).isNegative();
  }

  @Test
  void shouldKeepASplitKeyBetweenBuckets() {
    byte[] bucket = {5, 6};
    assertThat(RouteKeys.filterStart(bucket)).isEqualTo(bucket);
    byte[] inside = {5, 6, 1};
    assertThat(RouteKeys.filterStart(inside)).isEqualTo(inside);
  }

  @Test
  void shouldSplitTheBucketsEvenly() {
    assertThat(RouteKeys.evenSplits(1)).isEmpty();
    assertThat(RouteKeys.evenSplits(4).stream().map(HEX::formatHex))
        .isEqualTo(List.of("4000", "8000", "c000"));
    assertThat(RouteKeys.evenSplits(65_536).stream().map(HEX::formatHex))
        .hasSize(65_535)
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldExplainDamagedOrNewerBytes() {
    byte[] key = RouteKeys.of(Routes.toInbox("a", "c"));
    assertThatThrownBy(() -> RouteRow.decode(key, new byte[] {2, 0, 0}))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> RouteKeys.decode(Arrays.copyOf(key, 9)))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> RouteCommand.decode(ByteBuffer.wrap(new byte[] {1, 9})))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("9");
  }
}
