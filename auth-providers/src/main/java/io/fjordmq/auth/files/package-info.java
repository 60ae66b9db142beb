/** Files with secrets and certificates that are replaced while the broker runs. */
@NullMarked
package io.fjordmq.auth.files;

import org.jspecify.annotations.NullMarked;
