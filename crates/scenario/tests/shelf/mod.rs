//! Texts by name, in place of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_scenario::Origin;

/// One text among others.
#[derive(Clone)]
pub struct Shelf {
    texts: Arc<BTreeMap<String, Vec<u8>>>,
    name: String,
}

impl Shelf {
    /// These texts; the first one is the scenario.
    pub fn new<T: AsRef<[u8]>>(texts: &[(&str, T)]) -> Shelf {
        let name = texts[0].0.to_owned();
        let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), text.as_ref().to_vec())).collect();
        Shelf { texts: Arc::new(texts), name }
    }
}

impl Origin for Shelf {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn base(&self, from: &str) -> Result<Shelf, String> {
        Ok(Shelf { name: from.to_owned(), ..self.clone() })
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        let found = self.texts.get(&self.name).cloned();
        found.ok_or_else(|| format!("there is no such file or folder: {}", self.name))
    }

    fn is_same(&self, other: &Shelf) -> bool {
        self.name.trim_start_matches("./") == other.name.trim_start_matches("./")
    }
}
