//! Sentences that read like notes, the same for the same seed.

use std::collections::HashSet;

use fastrand::Rng;

/// Makes sentences of about twenty words, no two the same, and questions about such things.
pub struct Sentences {
    random: Rng,
    seen: HashSet<String>,
}

impl Sentences {
    /// Begins with a seed, and with what has been said elsewhere.
    pub fn new(seed: u64, seen: HashSet<String>) -> Self {
        Self { random: Rng::with_seed(seed), seen }
    }

    /// Returns a sentence that was not there before.
    pub fn note(&mut self) -> String {
        loop {
            let note = self.any_note();
            if self.seen.insert(note.clone()) {
                return note;
            }
        }
    }

    /// Returns a question of about ten words.
    pub fn question(&mut self) -> String {
        let name = self.pick(&NAMES);
        let (base, _) = self.pick(&ACTIONS);
        match self.random.u8(..4) {
            0 => format!("Why did {name} want to {base}?"),
            1 => format!("When did {name} {base} {}?", self.pick(&PLACES)),
            2 => format!("Who helped to {base} {}?", self.pick(&PLACES)),
            _ => format!("What happened when {name} tried to {base} {}?", self.pick(&TIMES)),
        }
    }

    fn any_note(&mut self) -> String {
        let (one, other) = (self.pick(&NAMES), self.pick(&NAMES));
        let ((base, past), place) = (self.pick(&ACTIONS), self.pick(&PLACES));
        let (time, reason) = (self.pick(&TIMES), self.pick(&REASONS));
        let result = self.pick(&RESULTS);
        match self.random.u8(..5) {
            0 => format!("{one} {past} {time} because {reason}, and {result}."),
            1 => format!("{one} told {other} that they {past} {place}, since {reason}."),
            2 => format!("After {other} {past}, {one} said that {result} and {reason}."),
            3 => format!("{one} and {other} plan to {base} {place} {time}, as {reason}."),
            _ => format!("Remind {one} to {base} {place} {time}; {reason}, so {other} agreed."),
        }
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.usize(..choices.len())]
    }
}

const NAMES: [&str; 32] = [
    "Amara", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "Ingrid", "Jamal",
    "Katya", "Liam", "Mei", "Nadia", "Omar", "Priya", "Quentin", "Rosa", "Samuel", "Tomoko",
    "Ulrich", "Valeria", "Wanjiru", "Xavier", "Yusuf", "Zofia", "Alice", "Bernard", "Carmen",
    "Daniel", "Esther", "Felix",
];

/// What people do, as one would ask for it and as one would tell it.
const ACTIONS: [(&str, &str); 40] = [
    ("repair the old bicycle", "repaired the old bicycle"),
    ("bake sourdough bread", "baked sourdough bread"),
    ("review the payment service", "reviewed the payment service"),
    ("paint a watercolour of the harbour", "painted a watercolour of the harbour"),
    ("adopt a grey kitten", "adopted a grey kitten"),
    ("migrate the database to a new server", "migrated the database to a new server"),
    ("practise the cello sonata", "practised the cello sonata"),
    ("plant tomatoes and basil", "planted tomatoes and basil"),
    ("write the quarterly budget report", "wrote the quarterly budget report"),
    ("book train tickets to Vienna", "booked train tickets to Vienna"),
    ("interview the new designer", "interviewed the new designer"),
    ("fix the leaking kitchen tap", "fixed the leaking kitchen tap"),
    ("run a half marathon", "ran a half marathon"),
    ("translate the contract into Spanish", "translated the contract into Spanish"),
    ("organise a surprise birthday party", "organised a surprise birthday party"),
    ("study for the chemistry exam", "studied for the chemistry exam"),
    ("deploy the search index", "deployed the search index"),
    ("visit the dentist", "visited the dentist"),
    ("knit a red scarf", "knitted a red scarf"),
    ("negotiate the office lease", "negotiated the office lease"),
    ("record a podcast about bees", "recorded a podcast about bees"),
    ("renew the passport", "renewed the passport"),
    ("restore an antique clock", "restored an antique clock"),
    ("teach a class on statistics", "taught a class on statistics"),
    ("swim across the lake", "swam across the lake"),
    ("cook a lentil curry", "cooked a lentil curry"),
    ("debug the memory leak", "debugged the memory leak"),
    ("photograph the lunar eclipse", "photographed the lunar eclipse"),
    ("volunteer as a lifeguard", "volunteered as a lifeguard"),
    ("sell the blue sofa", "sold the blue sofa"),
    ("assemble a bookshelf", "assembled a bookshelf"),
    ("cancel the gym membership", "cancelled the gym membership"),
    ("train the support team", "trained the support team"),
    ("build a birdhouse", "built a birdhouse"),
    ("read a novel about Antarctica", "read a novel about Antarctica"),
    ("order lenses for the telescope", "ordered lenses for the telescope"),
    ("measure the noise of the pump", "measured the noise of the pump"),
    ("taste olive oil from small farms", "tasted olive oil from small farms"),
    ("draft the privacy policy", "drafted the privacy policy"),
    ("carry the piano upstairs", "carried the piano upstairs"),
];

const PLACES: [&str; 28] = [
    "at the community centre",
    "in the garage",
    "near the river",
    "at the Lisbon office",
    "in the school library",
    "behind the bakery",
    "at home",
    "in the mountain cabin",
    "on the fourth floor",
    "at the farmers market",
    "in the hospital cafeteria",
    "by the old lighthouse",
    "in the basement workshop",
    "at a café in Kraków",
    "on the night train",
    "in the botanical garden",
    "at the shelter",
    "in the shared kitchen",
    "beside the football pitch",
    "at the airport lounge",
    "in the staging cluster",
    "on the roof terrace",
    "at the county fair",
    "in the museum annex",
    "across the street",
    "in a rented studio",
    "at the harbour",
    "in the forest clearing",
];

const TIMES: [&str; 28] = [
    "last Friday",
    "before sunrise",
    "in early March",
    "two weeks ago",
    "on a rainy Tuesday",
    "during the holidays",
    "just after lunch",
    "the day before yesterday",
    "in the summer of 2019",
    "on New Year's Eve",
    "at midnight",
    "over the weekend",
    "in the middle of May",
    "right after the meeting",
    "this morning",
    "on the ninth of October",
    "once a month",
    "within the next quarter",
    "on her birthday",
    "late in the evening",
    "during the heat wave",
    "before the deadline",
    "in the first week of school",
    "after the storm",
    "in late November",
    "while everyone slept",
    "on the last day of the year",
    "around noon",
];

const REASONS: [&str; 32] = [
    "the landlord asked for it twice",
    "nobody else had the time",
    "the doctor recommended it",
    "the old version kept failing",
    "it reminded everyone of childhood",
    "the budget had finally been approved",
    "a friend from university was visiting",
    "the audit is due soon",
    "the children insisted",
    "it was cheaper than expected",
    "the neighbours had complained",
    "the weather was perfect",
    "the contract ends in June",
    "a customer reported the problem",
    "the team wanted to celebrate",
    "the previous attempt went badly",
    "there was a discount",
    "the manual was out of date",
    "it helps against stress",
    "the warranty had expired",
    "the train was cancelled",
    "grandmother's recipe had turned up",
    "the sensor showed strange values",
    "someone left the window open",
    "the committee voted for it",
    "the password had been lost",
    "the vet was worried",
    "the exam counts for half of the grade",
    "the paint was still wet",
    "the insurance would not pay",
    "the concert had been moved",
    "the backup was incomplete",
];

const RESULTS: [&str; 24] = [
    "it took the whole afternoon",
    "everybody was pleased with the result",
    "the invoice came to ninety euros",
    "a second visit will be needed",
    "the photographs turned out beautifully",
    "the latency fell by half",
    "there was cake for everyone",
    "two volunteers stayed to clean up",
    "the dog slept through all of it",
    "the report is now in the shared folder",
    "it has to be repeated next year",
    "the colours faded quickly",
    "the neighbours applauded",
    "three questions remained open",
    "the old parts were recycled",
    "it rained the entire time",
    "the teacher gave an excellent mark",
    "the keys were never found",
    "a local newspaper wrote about it",
    "the alarm went off twice",
    "the recipe needs more salt",
    "the tickets were refunded",
    "the server restarted by itself",
    "nobody noticed the mistake",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_sentences_and_none_twice() {
        let make = || {
            let mut sentences = Sentences::new(1, HashSet::new());
            (0..5_000).map(|_| sentences.note()).collect::<Vec<_>>()
        };
        let notes = make();
        assert_eq!(notes, make());
        assert_eq!(notes.iter().collect::<HashSet<_>>().len(), notes.len());
        let words: usize = notes.iter().map(|note| note.split_whitespace().count()).sum();
        assert!((19..=21).contains(&(words / notes.len())), "{words} words");
    }
}
