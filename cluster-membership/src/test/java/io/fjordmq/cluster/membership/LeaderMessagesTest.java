package io.fjordmq.cluster.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What goes between a node and the leader of the metadata; nodes of two versions may meet. */
class LeaderMessagesTest {
  private static final ClockReport CLOCKS = new ClockReport(5, 6, true);

  private static final Map<LeaderRequest, String> REQUESTS =
      Map.of(
          new LeaderRequest.Renewal(3, 200, CLOCKS, Set.of()),
              "04" + "03" + "c801" + "0000000000000005" + "0000000000000006" + "01",
          new LeaderRequest.Renewal(3, 200, CLOCKS, Set.of(new NodeId("n"), new NodeId("ab"))),
              ("05" + "03" + "c801" + "0000000000000005" + "0000000000000006" + "01")
                  + ("02" + "026162" + "016e"),
          new LeaderRequest.Registration(2, new NodeAddress("h.x", 65_535)),
              "02" + "02" + "ffff" + "03" + "682e78",
          new LeaderRequest.Write(List.of(new Change("a", "xy".getBytes(US_ASCII), 0))),
              "03" + "01" + "00000001" + ("01" + "61" + "0000000000000000" + "00000002" + "7879"));

  private static final Map<LeaderAnswer, String> ANSWERS =
      Map.of(
          new LeaderAnswer.Removed(), "09",
          new LeaderAnswer.NotLeader(null), "01" + "00",
          new LeaderAnswer.NotLeader(new NodeId("n")), "01" + "01" + "6e",
          new LeaderAnswer.Renewed(200, 7), "0a" + "c801" + "0000000000000007",
          new LeaderAnswer.NotRenewed("no"), "03" + "02" + "6e6f",
          new LeaderAnswer.Registered(4, 200), "04" + "04" + "c801",
          new LeaderAnswer.KnownIncarnation(7), "05" + "07",
          new LeaderAnswer.Written(new WriteResult.Applied(9)), "06" + "09",
          new LeaderAnswer.Written(new WriteResult.Conflict("k", 9)), "07" + "01" + "6b" + "09",
          new LeaderAnswer.Failed(ConsensusException.Kind.BUSY, "?"),
              "08" + "04" + "42555359" + "01" + "3f");

  @Test
  void shouldWriteAndReadTheBytesAsDrawn() {
    REQUESTS.forEach(
        (request, hex) -> {
          assertThat(HexFormat.of().formatHex(request.encode())).isEqualTo(hex);
          assertThat(LeaderRequest.decode(HexFormat.of().parseHex(hex))).isEqualTo(request);
        });
    ANSWERS.forEach(
        (answer, hex) -> {
          assertThat(HexFormat.of().formatHex(answer.encode())).isEqualTo(hex);
          assertThat(LeaderAnswer.decode(HexFormat.of().parseHex(hex))).isEqualTo(answer);
        });
  }

  @Test
  void shouldRefuseWhatIsOfAnotherKind() {
    for (String hex : List.of("", "00", "63", "02ff", "0301000000")) {
      assertThatThrownBy(() -> LeaderRequest.decode(HexFormat.of().parseHex(hex)))
          .as(hex)
          .isInstanceOf(MalformedBytesException.class);
    }
    for (String hex : List.of("", "00", "63", "0803414243")) {
      assertThatThrownBy(() -> LeaderAnswer.decode(HexFormat.of().parseHex(hex)))
          .as(hex)
          .isInstanceOf(MalformedBytesException.class);
    }
  }

  @Property(tries = 500)
  void shouldReadAnyBytesOrRefuseThem(@ForAll byte[] bytes) {
    try {
      LeaderRequest.decode(bytes);
      LeaderAnswer.decode(bytes);
    } catch (MalformedBytesException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }
}
