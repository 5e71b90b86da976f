/**
 * The scanner's side of the fuzzy protocol: asks a storage whether the hashes of a mail are known, learns them and
 * forgets them.
 *
 * <p>{@link dev.weir.scan.StorageClient} speaks to one storage; {@link dev.weir.scan.Scanner} turns mails into requests
 * and replies into matches.
 */
@NullMarked
package dev.weir.scan;

import org.jspecify.annotations.NullMarked;
