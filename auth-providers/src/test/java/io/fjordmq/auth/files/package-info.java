@NullMarked
package io.fjordmq.auth.files;

import org.jspecify.annotations.NullMarked;
