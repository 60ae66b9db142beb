package io.fjordmq.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.peer.PeerException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class OperationExceptionTest {
  private static final PeerException REFUSED =
      new PeerException(PeerException.Kind.REFUSED, "unknown service");

  @Test
  void shouldFindTheKindOfAFailureAndOfADependentFuture() {
    assertThat(OperationException.isAny(REFUSED, PeerException.Kind.REFUSED)).isTrue();
    assertThat(
            OperationException.isAny(
                new CompletionException(REFUSED),
                PeerException.Kind.FENCED,
                PeerException.Kind.REFUSED))
        .isTrue();
    assertThat(OperationException.isAny(REFUSED, PeerException.Kind.FENCED)).isFalse();
  }

  @Test
  void shouldDistinguishKindsOfTwoLayersWithTheSameName() {
    ConsensusException closed =
        new ConsensusException(ConsensusException.Kind.CLOSED, "the replica is closed");
    assertThat(OperationException.isAny(closed, ConsensusException.Kind.CLOSED)).isTrue();
    assertThat(OperationException.isAny(closed, OtherLayer.CLOSED)).isFalse();
  }

  @Test
  void shouldFindNoKindInOtherFailures() {
    assertThat(OperationException.isAny(null, PeerException.Kind.REFUSED)).isFalse();
    assertThat(
            OperationException.isAny(
                new IllegalStateException("bug", REFUSED), PeerException.Kind.REFUSED))
        .isFalse();
  }

  @Test
  void shouldUnwrapOnlyExceptionsThatAFutureHasWrapped() {
    CompletionException empty = new CompletionException("no cause", null);
    IllegalStateException bug = new IllegalStateException("bug", REFUSED);
    assertThat(OperationException.unwrap(new CompletionException(REFUSED))).isSameAs(REFUSED);
    assertThat(OperationException.unwrap(bug)).isSameAs(bug);
    assertThat(OperationException.unwrap(empty)).isSameAs(empty);
  }

  private enum OtherLayer {
    CLOSED
  }
}
