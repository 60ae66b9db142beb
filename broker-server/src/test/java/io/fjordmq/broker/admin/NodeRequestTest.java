package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigOrigin;
import io.fjordmq.broker.drain.Evacuation;
import io.fjordmq.broker.net.ListenerStatus;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.broker.security.PluginStatus;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of requests to nodes and of their responses. */
class NodeRequestTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void shouldKeepTheBytesOfRequests() {
    NodeRequest rebuild = NodeRequest.of(NodeRequest.Kind.REBUILD, "inbox-1");
    assertThat(HEX.formatHex(rebuild.encode()))
        .isEqualTo("01" + "20" + "01" + "01" + "07696e626f782d31");
    assertThat(NodeRequest.decode(rebuild.encode())).isEqualTo(rebuild);
    NodeRequest start = NodeRequest.of(NodeRequest.Kind.EVACUATION_START, (String) null);
    assertThat(HEX.formatHex(start.encode())).isEqualTo("01" + "21" + "01" + "00");
    assertThat(NodeRequest.decode(start.encode())).isEqualTo(start);
    int code = 30;
    for (NodeRequest.Kind kind : NodeRequest.Kind.values()) {
      assertThat(NodeRequest.of(kind).encode()[1]).isEqualTo((byte) code++);
    }
  }

  @Test
  void shouldRefuseOtherRequests() {
    for (String newer : List.of("0220", "012900")) {
      assertThatThrownBy(() -> NodeRequest.decode(HEX.parseHex(newer)))
          .isInstanceOf(NewerFormatException.class);
    }
    byte[] bytes = NodeRequest.of(NodeRequest.Kind.REBUILD, "inbox-1").encode();
    for (int length = 0; length < bytes.length; length++) {
      byte[] prefix = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> NodeRequest.decode(prefix))
          .isInstanceOf(MalformedBytesException.class);
    }
  }

  @Test
  void shouldKeepTheBytesOfResponses() {
    List<NodeRow> rows = List.of(new NodeRow(Arrays.asList("a", null, "")), new NodeRow(List.of()));
    assertThat(HEX.formatHex(NodeRows.encode(rows)))
        .isEqualTo("01" + "02" + "03" + "010161" + "00" + "0100" + "00");
    assertThat(NodeRows.decode(NodeRows.encode(rows))).isEqualTo(rows);
    assertThatThrownBy(() -> NodeRows.decode(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class);
  }

  @Test
  void shouldReadWhatItWrites() {
    ListenerStatus listener = new ListenerStatus("tcpListener", "tcp", ":1883", "mqtt://h", 3, 9);
    assertThat(NodeRowCodec.listener(NodeRowCodec.of(listener))).isEqualTo(listener);
    PluginStatus plugin =
        new PluginStatus(
            "p", "/p.jar", null, List.of("Authorizer", "Authenticator"), List.of(), true);
    assertThat(NodeRowCodec.plugin(NodeRowCodec.of(plugin))).isEqualTo(plugin);
    ConfigEntry entry = new ConfigEntry("a.b", "1", "2", ConfigOrigin.FILE, "x line 3", true, null);
    assertThat(NodeRowCodec.configEntry(NodeRowCodec.of(entry))).isEqualTo(entry);
    Evacuation.Status status = new Evacuation.Status(Evacuation.State.PROHIBITING, 5, 6, 7);
    assertThat(NodeRowCodec.evacuation(NodeRowCodec.of(status))).isEqualTo(status);
    CommandResult result = CommandResult.inProgress("moving");
    assertThat(NodeRowCodec.command(NodeRowCodec.of(result))).isEqualTo(result);
    assertThatThrownBy(() -> NodeRowCodec.command(new NodeRow(List.of("x"))))
        .isInstanceOf(MalformedBytesException.class);
  }

  @Test
  void shouldReadAuditPages() {
    AuditFilter filter =
        new AuditFilter("ann", null, "kickClient", true, Instant.ofEpochMilli(5), null);
    NodeRequest request = NodeRequest.decode(NodeRowCodec.audit(7L, 3, filter).encode());
    assertThat(NodeRowCodec.auditFilter(request)).isEqualTo(filter);
    assertThat(NodeRowCodec.auditCursor(request)).isEqualTo(7);
    assertThat(NodeRowCodec.auditLimit(request)).isEqualTo(3);
    Caller ann = new Caller("ann", Caller.Kind.API_KEY, Role.OPERATOR, "t");
    Instant time = Instant.ofEpochMilli(1_000);
    AuditLog.Page page =
        new AuditLog.Page(
            List.of(
                new AuditRecord(time, ann, "192.0.2.1", "kickClient", "c", 204),
                new AuditRecord(time, null, "192.0.2.1", "login", "", 401)),
            List.of(4L, 3L),
            3L);
    assertThat(NodeRowCodec.auditPage(NodeRowCodec.of(page))).isEqualTo(page);
  }
}
