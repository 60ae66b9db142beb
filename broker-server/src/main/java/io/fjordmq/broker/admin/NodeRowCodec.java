package io.fjordmq.broker.admin;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.NodeRequest.Kind;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigOrigin;
import io.fjordmq.broker.drain.Evacuation;
import io.fjordmq.broker.net.ListenerStatus;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.broker.security.PluginStatus;
import io.fjordmq.common.MalformedBytesException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cells of requests and responses between nodes. Numbers are decimal, flags {@code true} or
 * {@code false}, times milliseconds since the epoch, enums their names, lists separated by line
 * feeds.
 */
final class NodeRowCodec {
  private NodeRowCodec() {}

  private static NodeRow row(@Nullable Object... cells) {
    List<@Nullable String> row = new ArrayList<>(cells.length);
    for (@Nullable Object cell : cells) {
      row.add(cell == null ? null : cell instanceof Enum<?> word ? word.name() : cell.toString());
    }
    return new NodeRow(row);
  }

  /** Cells: name, type, bind, url, connections, maxConnections. */
  static NodeRow of(ListenerStatus one) {
    return row(
        one.name(), one.type(), one.bind(), one.url(), one.connections(), one.maxConnections());
  }

  static ListenerStatus listener(NodeRow row) {
    return new ListenerStatus(
        row.text(0),
        row.text(1),
        row.text(2),
        row.text(3),
        (int) row.number(4),
        (int) row.number(5));
  }

  /** Cells: name, path, version, kinds, classes, changed. */
  static NodeRow of(PluginStatus one) {
    return row(
        one.name(),
        one.path(),
        one.version(),
        String.join("\n", one.kinds()),
        String.join("\n", one.classes()),
        one.changed());
  }

  static PluginStatus plugin(NodeRow row) {
    return new PluginStatus(
        row.text(0), row.text(1), row.find(2), row.list(3), row.list(4), row.flag(5));
  }

  /** Cells: key, value, defaultValue, origin, source, reloadable, apiValue. */
  static NodeRow of(ConfigEntry one) {
    return row(
        one.key(),
        one.value(),
        one.defaultValue(),
        one.origin(),
        one.source(),
        one.reloadable(),
        one.apiValue());
  }

  static ConfigEntry configEntry(NodeRow row) {
    return new ConfigEntry(
        row.text(0),
        row.text(1),
        row.text(2),
        row.word(3, ConfigOrigin.class),
        row.find(4),
        row.flag(5),
        row.find(6));
  }

  /** Cells: state, clientsPerSecond, clients, ledRanges. */
  static NodeRow of(Evacuation.Status status) {
    return row(status.state(), status.clientsPerSecond(), status.clients(), status.ledRanges());
  }

  static Evacuation.Status evacuation(NodeRow row) {
    return new Evacuation.Status(
        row.word(0, Evacuation.State.class), (int) row.number(1), row.number(2), row.number(3));
  }

  /** Cells: exitCode, text. */
  static NodeRow of(CommandResult result) {
    return row(result.exitCode(), result.text());
  }

  static CommandResult command(NodeRow row) {
    return new CommandResult((int) row.number(0), row.text(1));
  }

  /** Arguments: cursor, limit, source, address, operation, success, since, until. */
  static NodeRequest audit(@Nullable Long cursor, int limit, AuditFilter filter) {
    return new NodeRequest(
        Kind.AUDIT,
        row(
            cursor,
            limit,
            filter.source(),
            filter.address(),
            filter.operation(),
            filter.success(),
            millis(filter.since()),
            millis(filter.until())));
  }

  private static @Nullable Long millis(@Nullable Instant time) {
    return time == null ? null : time.toEpochMilli();
  }

  static @Nullable Long auditCursor(NodeRequest request) {
    NodeRow row = request.arguments();
    return row.find(0) == null ? null : row.number(0);
  }

  static int auditLimit(NodeRequest request) {
    return (int) request.arguments().number(1);
  }

  static AuditFilter auditFilter(NodeRequest request) {
    NodeRow row = request.arguments();
    return new AuditFilter(
        row.find(2),
        row.find(3),
        row.find(4),
        row.find(5) == null ? null : row.flag(5),
        row.find(6) == null ? null : Instant.ofEpochMilli(row.number(6)),
        row.find(7) == null ? null : Instant.ofEpochMilli(row.number(7)));
  }

  /**
   * The first row has the cell next; the others have the cells number, time, kind, name, role,
   * tenant, address, operation, target, status.
   */
  static List<NodeRow> of(AuditLog.Page page) {
    List<NodeRow> rows = new ArrayList<>();
    rows.add(row(page.next()));
    for (int i = 0; i < page.records().size(); i++) {
      AuditRecord one = page.records().get(i);
      Caller caller = one.caller();
      rows.add(
          row(
              page.numbers().get(i),
              one.time().toEpochMilli(),
              caller == null ? null : caller.kind(),
              caller == null ? null : caller.name(),
              caller == null ? null : caller.role(),
              caller == null ? null : caller.tenant(),
              one.address(),
              one.operation(),
              one.target(),
              one.status()));
    }
    return rows;
  }

  static AuditLog.Page auditPage(List<NodeRow> rows) {
    if (rows.isEmpty()) {
      throw new MalformedBytesException("a page of audit records has no first row");
    }
    NodeRow first = rows.get(0);
    List<AuditRecord> records = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    for (NodeRow row : rows.subList(1, rows.size())) {
      numbers.add(row.number(0));
      records.add(
          new AuditRecord(
              Instant.ofEpochMilli(row.number(1)),
              row.find(2) == null ? null : caller(row),
              row.text(6),
              row.text(7),
              row.text(8),
              (int) row.number(9)));
    }
    return new AuditLog.Page(records, numbers, first.find(0) == null ? null : first.number(0));
  }

  private static Caller caller(NodeRow row) {
    return new Caller(
        row.text(3), row.word(2, Caller.Kind.class), row.word(4, Role.class), row.find(5));
  }
}
