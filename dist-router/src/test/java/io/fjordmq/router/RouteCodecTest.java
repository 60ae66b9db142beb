package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.MalformedBytesException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Goal: what is stored today can be read for ever, and every route has a row of its own. */
class RouteCodecTest {
  private static final HexFormat HEX = HexFormat.of();

  @Provide
  Arbitrary<Route> routes() {
    return Routes.routes();
  }

  @Property(tries = 500)
  void shouldReadBackWhatItStores(@ForAll("routes") Route route) {
    assertThat(RouteCodec.decode(RouteCodec.key(route), RouteCodec.value(route.options())))
        .isEqualTo(route);
  }

  @Property(tries = 500)
  void shouldGiveTheSameKeyOnlyToTheSameRoute(
      @ForAll("routes") Route one, @ForAll("routes") Route other) {
    boolean sameKey = Arrays.equals(RouteCodec.key(one), RouteCodec.key(other));
    assertThat(sameKey).isEqualTo(RouteId.of(one).equals(RouteId.of(other)));
  }

  @Test
  void shouldSpreadFiltersEvenlyWhenTheyDifferLittle() {
    Integer[] parts = {0, 0, 0, 0};
    for (int i = 0; i < 4_000; i++) {
      byte[] key = RouteCodec.key(Routes.toInbox("devices/" + i + "/commands", "c"));
      parts[(key[0] & 0xFF) / 64]++;
    }
    assertThat(List.of(parts)).allSatisfy(count -> assertThat(count).isBetween(850, 1_150));
  }

  @Property(tries = 500)
  void shouldBeCutBeforeAllRoutesOfAFilterOrBehindThem(
      @ForAll("routes") Route one, @ForAll("routes") Route other) {
    byte[] cut = RouteCodec.filterStart(RouteCodec.key(one));
    assertThat(RouteCodec.filterStart(cut)).isEqualTo(cut);
    assertThat(Arrays.compareUnsigned(cut, RouteCodec.key(one))).isNegative();
    Route moved = new Route(one.tenant(), one.filter(), other.receiver(), one.options());
    assertThat(Arrays.compareUnsigned(cut, RouteCodec.key(moved))).isNegative();
  }

  @Test
  void shouldLeaveACutBetweenBucketsWhereItIs() {
    byte[] bucket = {5, 6};
    assertThat(RouteCodec.filterStart(bucket)).isEqualTo(bucket);
    byte[] inside = {5, 6, 1};
    assertThat(RouteCodec.filterStart(inside)).isEqualTo(inside);
  }

  @Test
  void shouldCutTheBucketsIntoEqualParts() {
    assertThat(RouteCodec.evenSplits(1)).isEmpty();
    assertThat(RouteCodec.evenSplits(4).stream().map(HEX::formatHex))
        .isEqualTo(List.of("4000", "8000", "c000"));
    assertThat(RouteCodec.evenSplits(65_536).stream().map(HEX::formatHex))
        .hasSize(65_535)
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldSayWhatIsWrongWhenBytesAreDamagedOrNewer() {
    byte[] key = RouteCodec.key(Routes.toInbox("a", "c"));
    assertThatThrownBy(() -> RouteCodec.decode(key, new byte[] {2, 0, 0}))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> RouteCodec.decodeKey(Arrays.copyOf(key, 9)))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> RouteCommand.decode(new ByteReader(new byte[] {1, 9})))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("9");
  }
}
