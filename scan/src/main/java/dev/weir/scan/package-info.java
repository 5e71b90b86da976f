/**
 * The scanner's side of the fuzzy protocol: asks storages whether the hashes of a mail are known, learns them and forgets
 * them.
 *
 * <p>{@link dev.weir.scan.FuzzyCheck} does what Rspamd's module {@code fuzzy_check} does, by the same configuration: rules,
 * servers, scores, learning. It serves any number of threads and thousands of mails at once:
 *
 * <pre>{@code
 * try (FuzzyCheck fuzzy = FuzzyCheck.open(FuzzyCheckSettings.of(configuration, files), MailHasher.standard())) {
 *     fuzzy.learn(spam, LearnRequest.add("DENIED", 10)).join();
 *     double score = fuzzy.check(mail, ScanContext.NONE).join().score();
 * }
 * }</pre>
 *
 * <p>Below it are {@link dev.weir.scan.StorageClient}, which speaks to one storage, and {@link dev.weir.scan.Scanner},
 * which turns mails into requests to it and replies into matches, without rules or scores.
 */
@NullMarked
package dev.weir.scan;

import org.jspecify.annotations.NullMarked;
