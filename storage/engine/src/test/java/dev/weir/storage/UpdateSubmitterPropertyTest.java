package dev.weir.storage;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;

import static org.assertj.core.api.Assertions.assertThat;

class UpdateSubmitterPropertyTest {
    @Property(seed = "20261101", tries = 500)
    void anyTextFitsTheLimitAndSurvivesARoundTrip(@ForAll @StringLength(max = 400) String client,
            @ForAll @StringLength(max = 400) String user, @ForAll @StringLength(max = 400) String mail) {
        UpdateSubmitter submission = new UpdateSubmitter(client, "password", user, mail);
        byte[] bytes = submission.toBytes();
        assertThat(bytes.length).isLessThanOrEqualTo(UpdateSubmitter.MAX_BYTES);
        assertThat(UpdateSubmitter.read(bytes)).isEqualTo(submission);
        assertThat(submission.user()).doesNotContainPattern("[\\p{Cntrl}\\u2028\\u2029]");
    }
}
