package io.fjordmq.cluster.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.ClockReport.Source;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.MalformedBytesException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The messages between a node and the metadata leader, including those of older versions. */
class LeaderMessagesTest {
  private static final ClockReport CLOCKS = new ClockReport(5, 6, Source.KNOWN);

  private static final Map<LeaderRequest, String> REQUESTS =
      Map.of(
          new LeaderRequest.Renewal(3, 200, CLOCKS, Set.of()),
              "04" + "03" + "c801" + "0000000000000005" + "0000000000000006" + "01",
          new LeaderRequest.Renewal(3, 200, new ClockReport(5, 6, Source.SAVED), Set.of()),
              "04" + "03" + "c801" + "0000000000000005" + "0000000000000006" + "02",
          new LeaderRequest.AcceptClock(), "06",
          new LeaderRequest.Renewal(3, 200, CLOCKS, Set.of(new NodeId("n"), new NodeId("ab"))),
              ("05" + "03" + "c801" + "0000000000000005" + "0000000000000006" + "01")
                  + ("02" + "026162" + "016e"),
          new LeaderRequest.Registration(
                  2, new NodeAddress("h.x", 65_535), SupportedLevels.FIRST_ONLY),
              "02" + "02" + "ffff" + "03" + "682e78",
          new LeaderRequest.Registration(
                  2, new NodeAddress("h.x", 65_535), new SupportedLevels(2, 0xfffe)),
              "07" + "02" + "ffff" + "03" + "682e78" + "0002" + "fffe",
          new LeaderRequest.RaiseLevel(300), "08" + "ac02",
          new LeaderRequest.Write(List.of(new Change("a", "xy".getBytes(US_ASCII), 0))),
              "03" + "01" + "00000001" + ("01" + "61" + "0000000000000000" + "00000002" + "7879"));

  private static final Map<LeaderResponse, String> RESPONSES =
      Map.of(
          new LeaderResponse.Removed(), "09",
          new LeaderResponse.NotLeader(null), "01" + "00",
          new LeaderResponse.NotLeader(new NodeId("n")), "01" + "01" + "6e",
          new LeaderResponse.Renewed(200, 7), "0a" + "c801" + "0000000000000007",
          new LeaderResponse.NotRenewed("no"), "03" + "02" + "6e6f",
          new LeaderResponse.Registered(4, 200), "04" + "04" + "c801",
          new LeaderResponse.KnownIncarnation(7), "05" + "07",
          new LeaderResponse.Written(new WriteResult.Applied(9)), "06" + "09",
          new LeaderResponse.Written(new WriteResult.Conflict("k", 9)), "07" + "01" + "6b" + "09",
          new LeaderResponse.Failed(ConsensusException.Kind.BUSY, "?"),
              "08" + "04" + "42555359" + "01" + "3f");

  @Test
  void shouldEncodeAndDecodeTheClockAdvance() {
    byte[] bytes = new LeaderResponse.ClockAccepted(200).encode();
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("0b" + "c801");
    assertThat(LeaderResponse.decode(bytes)).isEqualTo(new LeaderResponse.ClockAccepted(200));
  }

  @Test
  void shouldEncodeAndDecodeResponsesAboutLevels() {
    byte[] refused = new LeaderResponse.Refused("no").encode();
    assertThat(HexFormat.of().formatHex(refused)).isEqualTo("0c" + "02" + "6e6f");
    assertThat(LeaderResponse.decode(refused)).isEqualTo(new LeaderResponse.Refused("no"));
    byte[] raised = new LeaderResponse.LevelRaised(300).encode();
    assertThat(HexFormat.of().formatHex(raised)).isEqualTo("0d" + "ac02");
    assertThat(LeaderResponse.decode(raised)).isEqualTo(new LeaderResponse.LevelRaised(300));
  }

  @Test
  void shouldEncodeAndDecodeTheDocumentedBytes() {
    REQUESTS.forEach(
        (request, hex) -> {
          assertThat(HexFormat.of().formatHex(request.encode())).isEqualTo(hex);
          assertThat(LeaderRequest.decode(HexFormat.of().parseHex(hex))).isEqualTo(request);
        });
    RESPONSES.forEach(
        (response, hex) -> {
          assertThat(HexFormat.of().formatHex(response.encode())).isEqualTo(hex);
          assertThat(LeaderResponse.decode(HexFormat.of().parseHex(hex))).isEqualTo(response);
        });
  }

  @Test
  void shouldRejectUnknownKinds() {
    for (String hex : List.of("", "00", "63", "02ff", "0301000000")) {
      assertThatThrownBy(() -> LeaderRequest.decode(HexFormat.of().parseHex(hex)))
          .as(hex)
          .isInstanceOf(MalformedBytesException.class);
    }
    for (String hex : List.of("", "00", "63", "0803414243")) {
      assertThatThrownBy(() -> LeaderResponse.decode(HexFormat.of().parseHex(hex)))
          .as(hex)
          .isInstanceOf(MalformedBytesException.class);
    }
  }

  @Property(tries = 500)
  void shouldDecodeOrRejectAnyBytes(@ForAll byte[] bytes) {
    try {
      LeaderRequest.decode(bytes);
      LeaderResponse.decode(bytes);
    } catch (MalformedBytesException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }
}
