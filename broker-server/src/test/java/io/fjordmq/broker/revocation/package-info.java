/** Tests of the revocation of client certificates. */
@NullMarked
package io.fjordmq.broker.revocation;

import org.jspecify.annotations.NullMarked;
